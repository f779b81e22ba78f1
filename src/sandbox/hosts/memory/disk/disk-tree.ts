import { limits } from "../../../../contract/index.ts"
import { memoryHostLimits } from "../../../limits.ts"
import {
  type DirectoryNode,
  DiskError,
  type DiskNode,
  DiskSpace,
  type FileNode,
  mayAccess,
  type NodeFacts,
  type Owner,
  sizeOf,
} from "./disk-node.ts"

/** A disk's names and nodes, with the space they take. */
export class DiskTree {
  readonly space: DiskSpace
  readonly root: DirectoryNode
  /** Another number after every change of a name, a content or a mode. */
  version = 0
  #lastId = 0

  constructor(limitBytes: number) {
    this.space = new DiskSpace(limitBytes)
    this.root = this.newDirectory(0o755, "root")
  }

  find(path: string, follow: boolean): Dentry {
    return walkDisk(this.root, path, follow)
  }

  /** Makes the directories that are missing on the way to a path. */
  makeParents(path: string): void {
    const parts = partsOf(path)
    for (let count = 1; count < parts.length; count += 1) {
      const dentry = this.find(`/${parts.slice(0, count).join("/")}`, false)
      if (dentry.node === null) this.add(dentry, this.newDirectory(0o755))
    }
  }

  require(path: string, follow: boolean): DiskNode {
    const { node } = this.find(path, follow)
    if (node === null) throw new DiskError("ENOENT")
    return node
  }

  newFile(data: Uint8Array, mode: number, owner: Owner = "user"): FileNode {
    return { ...this.#facts(mode, owner), kind: "file", buffer: data, size: data.length }
  }

  newDirectory(mode: number, owner: Owner = "user"): DirectoryNode {
    return { ...this.#facts(mode, owner), kind: "directory", entries: new Map(), parent: null }
  }

  newLink(target: string): DiskNode {
    return { ...this.#facts(0o777, "user"), kind: "symlink", target }
  }

  newDevice(): DiskNode {
    return { ...this.#facts(0o666, "root"), kind: "device" }
  }

  /** Gives a node a name. */
  add<Node extends DiskNode>(dentry: Dentry, node: Node): Node {
    this.checkChangeable(dentry)
    return this.addAsRoot(dentry, node)
  }

  addAsRoot<Node extends DiskNode>(dentry: Dentry, node: Node): Node {
    this.version += 1
    const fresh = node.names === 0
    this.space.take(entryBytes(dentry.name) + (fresh ? sizeOf(node) : 0))
    node.names += 1
    if (node.kind === "directory") node.parent = dentry.parent
    dentry.parent.entries.set(dentry.name, node)
    dentry.parent.modifiedMs = Date.now()
    return node
  }

  /** Takes a name away, and with the last one what it led to. */
  remove(dentry: Dentry): void {
    this.checkChangeable(dentry)
    if (dentry.node === null) throw new DiskError("ENOENT")
    this.version += 1
    dentry.parent.entries.delete(dentry.name)
    dentry.parent.modifiedMs = Date.now()
    // A list instead of recursion: a tree can be deeper than the call stack.
    const gone: [string, DiskNode][] = [[dentry.name, dentry.node]]
    for (let next = gone.pop(); next; next = gone.pop()) {
      const [name, node] = next
      node.names -= 1
      this.space.take(-entryBytes(name) - (node.names === 0 ? sizeOf(node) : 0))
      if (node.kind === "directory") for (const entry of node.entries) gone.push(entry)
    }
  }

  /** Gives what has one name another one, which must be free. */
  move(source: Dentry, target: Dentry): void {
    const { node } = source
    if (node === null) throw new DiskError("ENOENT")
    this.space.take(entryBytes(target.name) - entryBytes(source.name))
    this.version += 1
    source.parent.entries.delete(source.name)
    target.parent.entries.set(target.name, node)
    if (node.kind === "directory") node.parent = target.parent
    source.parent.modifiedMs = Date.now()
    target.parent.modifiedMs = Date.now()
  }

  checkChangeable(dentry: Dentry): void {
    if (dentry.name === "") throw new DiskError("EBUSY")
    if (!mayAccess(dentry.parent, "write")) throw new DiskError("EACCES")
  }

  #facts(mode: number, owner: Owner): NodeFacts {
    this.#lastId += 1
    return { id: this.#lastId, owner, mode, modifiedMs: Date.now(), names: 0 }
  }
}

/** A name and the node behind it cost memory too, so that empty files are not free. */
function entryBytes(name: string): number {
  return memoryHostLimits.entryBytes + name.length
}

/** Where a path leads: a name in a directory, with or without something behind it. */
export interface Dentry {
  readonly parent: DirectoryNode
  /** Empty when the path ends at the root or in "..". */
  readonly name: string
  readonly node: DiskNode | null
}

/** Follows an absolute path from the root, as a kernel does; with `follow` also a link at its end. */
function walkDisk(root: DirectoryNode, path: string, follow: boolean): Dentry {
  checkPathLength(path)
  const rest = partsOf(path).reverse()
  let links = 0
  let dentry: Dentry = { parent: root, name: "", node: root }
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    const directory = enter(dentry)
    if (part === "..") {
      dentry = dentryOf(directory.parent ?? root)
      continue
    }
    const node = directory.entries.get(checkName(part)) ?? null
    if (node?.kind !== "symlink" || (rest.length === 0 && !follow)) {
      dentry = { parent: directory, name: part, node }
      continue
    }
    links += 1
    if (links > memoryHostLimits.linksFollowed) throw new DiskError("ELOOP")
    rest.push(...partsOf(node.target).reverse())
    dentry = dentryOf(node.target.startsWith("/") ? root : directory)
  }
  return dentry
}

/** The absolute path of an entry, without symbolic links. */
export function pathOf(dentry: Dentry): string {
  const parts: string[] = dentry.name === "" ? [] : [dentry.name]
  let directory =
    dentry.name === "" && dentry.node?.kind === "directory" ? dentry.node : dentry.parent
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

function enter({ node }: Dentry): DirectoryNode {
  if (node === null) throw new DiskError("ENOENT")
  if (node.kind !== "directory") throw new DiskError("ENOTDIR")
  if (!mayAccess(node, "search")) throw new DiskError("EACCES")
  return node
}

function dentryOf(directory: DirectoryNode): Dentry {
  return { parent: directory.parent ?? directory, name: "", node: directory }
}

function partsOf(path: string): string[] {
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
