import { limits } from "../../../../contract/index.ts"
import { DiskError } from "./disk-error.ts"
import { type DirectoryNode, type DiskNode, mayAccess } from "./disk-node.ts"

/** Where a path leads: a name in a directory, with or without something behind it. */
export interface Place {
  readonly parent: DirectoryNode
  /** Empty when the path ends at the root or in "..". */
  readonly name: string
  readonly node: DiskNode | null
}

export interface WalkOptions {
  /** Follow the last part too when it is a symbolic link. */
  readonly follow: boolean
  /** Makes a directory that is missing on the way. */
  readonly makeDirectory?: (parent: DirectoryNode, name: string) => DirectoryNode
}

/** Follows an absolute path from the root, as a kernel does. */
export function walkDisk(root: DirectoryNode, path: string, options: WalkOptions): Place {
  checkPathLength(path)
  const rest = partsOf(path).reverse()
  let links = 0
  let place: Place = { parent: root, name: "", node: root }
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    const directory = enter(place, path, options)
    if (part === "..") {
      place = placeOf(directory.parent ?? root)
      continue
    }
    const node = directory.entries.get(checkName(part, path)) ?? null
    if (node?.kind !== "symlink" || (rest.length === 0 && !options.follow)) {
      place = { parent: directory, name: part, node }
      continue
    }
    links += 1
    if (links > limits.memoryHost.linksFollowed) throw new DiskError("ELOOP", path)
    rest.push(...partsOf(node.target).reverse())
    place = placeOf(node.target.startsWith("/") ? root : directory)
  }
  return place
}

/** The absolute path of a place, without symbolic links. */
export function pathOf(place: Place): string {
  const parts: string[] = place.name === "" ? [] : [place.name]
  let directory = place.name === "" && place.node?.kind === "directory" ? place.node : place.parent
  while (directory.parent !== null) {
    parts.push(nameIn(directory.parent, directory))
    directory = directory.parent
  }
  return `/${parts.reverse().join("/")}`
}

function nameIn(parent: DirectoryNode, child: DirectoryNode): string {
  for (const [name, node] of parent.entries) if (node === child) return name
  throw new DiskError("ENOENT", "..")
}

function enter(place: Place, path: string, options: WalkOptions): DirectoryNode {
  const node = place.node ?? options.makeDirectory?.(place.parent, place.name) ?? null
  if (node === null) throw new DiskError("ENOENT", path)
  if (node.kind !== "directory") throw new DiskError("ENOTDIR", path)
  if (!mayAccess(node, "search")) throw new DiskError("EACCES", path)
  return node
}

function placeOf(directory: DirectoryNode): Place {
  return { parent: directory.parent ?? directory, name: "", node: directory }
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".")
}

function checkPathLength(path: string): void {
  if (path.includes("\0")) throw new DiskError("EINVAL", path.replaceAll("\0", ""))
  if (path.length * 3 > limits.pathBytes && Buffer.byteLength(path) > limits.pathBytes) {
    throw new DiskError("ENAMETOOLONG", path)
  }
}

function checkName(name: string, path: string): string {
  if (name.length * 3 > limits.pathPartBytes && Buffer.byteLength(name) > limits.pathPartBytes) {
    throw new DiskError("ENAMETOOLONG", path)
  }
  return name
}
