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

/** Follows an absolute path from the root, as a kernel does; with `follow` also a link at its end. */
export function walkDisk(root: DirectoryNode, path: string, follow: boolean): Place {
  checkPathLength(path)
  const rest = partsOf(path).reverse()
  let links = 0
  let place: Place = { parent: root, name: "", node: root }
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    const directory = enter(place)
    if (part === "..") {
      place = placeOf(directory.parent ?? root)
      continue
    }
    const node = directory.entries.get(checkName(part)) ?? null
    if (node?.kind !== "symlink" || (rest.length === 0 && !follow)) {
      place = { parent: directory, name: part, node }
      continue
    }
    links += 1
    if (links > limits.memoryHost.linksFollowed) throw new DiskError("ELOOP")
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
  throw new DiskError("ENOENT")
}

function enter({ node }: Place): DirectoryNode {
  if (node === null) throw new DiskError("ENOENT")
  if (node.kind !== "directory") throw new DiskError("ENOTDIR")
  if (!mayAccess(node, "search")) throw new DiskError("EACCES")
  return node
}

function placeOf(directory: DirectoryNode): Place {
  return { parent: directory.parent ?? directory, name: "", node: directory }
}

export function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".")
}

export function checkPathLength(path: string): void {
  if (path.includes("\0")) throw new DiskError("EINVAL")
  if (path.length * 3 > limits.pathBytes && Buffer.byteLength(path) > limits.pathBytes) {
    throw new DiskError("ENAMETOOLONG")
  }
}

function checkName(name: string): string {
  if (name.length * 3 > limits.pathPartBytes && Buffer.byteLength(name) > limits.pathPartBytes) {
    throw new DiskError("ENAMETOOLONG")
  }
  return name
}
