import { posix } from "node:path"
import type { PackedEntry } from "../../../trees/pack-archive.ts"
import { copyNode, copyTree, renameNode } from "./copy-node.ts"
import type { DiskEntry, DiskStat } from "./disk-calls.ts"
import {
  contentOf,
  type DirectoryNode,
  DiskError,
  type DiskNode,
  mayAccess,
  sizeOf,
} from "./disk-node.ts"
import { checkPathLength, DiskTree, pathOf } from "./disk-tree.ts"
import { fileEntry, type LoadedEntry, treeEntries, unpackEntries } from "./disk-trees.ts"
import { type FrozenBytes, type FrozenTree, freezeTree, thawTree } from "./frozen-tree.ts"
import { type DiskWrite, writeFile } from "./write-file.ts"

export interface WalkedNode extends DiskStat {
  readonly path: string
  readonly content: Uint8Array | null
}

/** A file system in memory that answers as a real one. Each call is one step: no one sees half of it. */
export class VirtualDisk {
  readonly #tree: DiskTree
  readonly #frozen: FrozenBytes = new Map()

  constructor(tree: DiskTree) {
    this.#tree = tree
  }

  get limitBytes(): number {
    return this.#tree.space.limit
  }

  get usedBytes(): number {
    return this.#tree.space.used
  }

  read(path: string, offset = 0, length?: number): Uint8Array {
    const node = this.#tree.require(path, true)
    if (node.kind === "directory") throw new DiskError("EISDIR")
    if (!mayAccess(node, "read")) throw new DiskError("EACCES")
    return node.kind === "file" ? contentOf(node, offset, length) : new Uint8Array()
  }

  /** The disk stores `data` itself: its caller must not change it afterwards. */
  writeWith(path: string, data: Uint8Array, write: DiskWrite): void {
    writeFile(this.#tree, path, data, write)
  }

  write(path: string, data: Uint8Array): void {
    this.writeWith(path, data, { append: false, mode: null, makeParents: false })
  }

  append(path: string, data: Uint8Array): void {
    this.writeWith(path, data, { append: true, mode: null, makeParents: false })
  }

  exists(path: string): boolean {
    try {
      return this.#tree.find(path, true).node !== null
    } catch (error) {
      if (error instanceof DiskError) return false
      throw error
    }
  }

  stat(path: string): DiskStat {
    return describe(this.#tree.require(path, true))
  }

  /** Like stat, but says what a symbolic link itself is. */
  lstat(path: string): DiskStat {
    return describe(this.#tree.require(path, false))
  }

  /** Sorted by name. */
  list(path: string): readonly DiskEntry[] {
    const node = this.#tree.require(path, true)
    if (node.kind !== "directory") throw new DiskError("ENOTDIR")
    if (!mayAccess(node, "read")) throw new DiskError("EACCES")
    const names = [...node.entries.keys()].sort()
    return names.map((name) => ({ name, type: typeOf(node.entries.get(name)) }))
  }

  makeDirectory(path: string, options: { readonly parents: boolean }): void {
    const tree = this.#tree
    if (options.parents) tree.makeParents(path)
    const dentry = tree.find(path, false)
    if (dentry.node === null) tree.add(dentry, tree.newDirectory(0o755))
    else if (!options.parents || this.stat(path).type !== "directory") throw new DiskError("EEXIST")
  }

  remove(path: string, options: { readonly recursive: boolean; readonly force: boolean }): void {
    const dentry = this.#tree.find(path, false)
    if (dentry.node === null && options.force) return
    if (dentry.node?.kind === "directory" && dentry.node.entries.size > 0 && !options.recursive) {
      throw new DiskError("ENOTEMPTY")
    }
    this.#tree.remove(dentry)
  }

  copy(from: string, to: string, options: { readonly recursive: boolean }): void {
    copyNode(this.#tree, from, to, options.recursive)
  }

  rename(from: string, to: string): void {
    renameNode(this.#tree, from, to)
  }

  /** With permissions and times, in the place of what is there. */
  copyTree(from: string, to: string): void {
    copyTree(this.#tree, from, to)
  }

  makeParents(path: string): void {
    this.#tree.makeParents(path)
  }

  /** A directory with all that is in it, or one file, as they are now. */
  entries(path: string): readonly PackedEntry[] {
    const node = this.#tree.require(path, true)
    if (node.kind === "directory") return treeEntries(node)
    return node.kind === "file" ? [fileEntry(posix.basename(path), node)] : []
  }

  /** Puts all of it below a directory. */
  unpack(path: string, loaded: readonly LoadedEntry[]): void {
    unpackEntries(this.#tree, this.#requireDirectory(path), loaded)
  }

  /** A directory with all that is in it, as it is now and stays. Takes as much room as it holds. */
  freeze(path: string): FrozenTree {
    return freezeTree(this.#requireDirectory(path), this.#tree.space, this.#frozen)
  }

  /** Gives an empty directory what was frozen. */
  thaw(path: string, frozen: FrozenTree): void {
    thawTree(this.#tree, frozen, this.#requireDirectory(path))
  }

  link(existing: string, path: string): void {
    const node = this.#tree.require(existing, false)
    const dentry = this.#tree.find(path, false)
    if (dentry.node !== null) throw new DiskError("EEXIST")
    if (node.kind === "directory") throw new DiskError("EPERM")
    this.#tree.add(dentry, node)
  }

  symlink(target: string, path: string): void {
    checkPathLength(target)
    if (target === "") throw new DiskError("ENOENT")
    const dentry = this.#tree.find(path, false)
    if (dentry.node !== null) throw new DiskError("EEXIST")
    this.#tree.add(dentry, this.#tree.newLink(target))
  }

  readLink(path: string): string {
    const node = this.#tree.require(path, false)
    if (node.kind !== "symlink") throw new DiskError("EINVAL")
    return node.target
  }

  realPath(path: string): string {
    const dentry = this.#tree.find(path, true)
    if (dentry.node === null) throw new DiskError("ENOENT")
    return pathOf(dentry)
  }

  /** Another number after every change. */
  get version(): number {
    return this.#tree.version
  }

  /** All names below a directory with what they lead to, and the content as one value that changes with it. */
  *walk(path: string): Iterable<WalkedNode> {
    const open: [string, DirectoryNode][] = [["", this.#requireDirectory(path)]]
    // A list instead of recursion: a tree can be deeper than the call stack.
    for (let next = open.pop(); next; next = open.pop()) {
      const [prefix, directory] = next
      for (const [name, node] of directory.entries) {
        const content = node.kind === "file" ? node.buffer : null
        yield { path: `${prefix}${name}`, ...describe(node), content }
        if (node.kind === "directory") open.push([`${prefix}${name}/`, node])
      }
    }
  }

  setMode(path: string, mode: number): void {
    this.#tree.version += 1
    this.#requireOwn(path).mode = mode & 0o7777
  }

  setModified(path: string, modifiedMs: number): void {
    this.#tree.version += 1
    this.#requireOwn(path).modifiedMs = modifiedMs
  }

  #requireDirectory(path: string): DirectoryNode {
    const node = this.#tree.require(path, true)
    if (node.kind !== "directory") throw new DiskError("ENOTDIR")
    return node
  }

  #requireOwn(path: string): DiskNode {
    const node = this.#tree.require(path, true)
    if (node.owner !== "user") throw new DiskError("EPERM")
    return node
  }
}

function describe(node: DiskNode): DiskStat {
  const { mode, modifiedMs, id } = node
  return { type: typeOf(node), size: sizeOf(node), mode, modifiedMs, id }
}

function typeOf(node: DiskNode | undefined): DiskStat["type"] {
  return node === undefined || node.kind === "device" ? "other" : node.kind
}

export const home = "/home/user"
export const temporary = "/tmp"

/** A disk as a user finds it after logging in: a home, a directory for temporary files, nothing else of theirs. */
export function createDisk(limitBytes: number): VirtualDisk {
  const tree = new DiskTree(limitBytes)
  const add = (path: string, node: DiskNode) => tree.addAsRoot(tree.find(path, true), node)
  for (const path of ["/bin", "/dev", "/home", "/usr", "/usr/bin"]) {
    add(path, tree.newDirectory(0o755, "root"))
  }
  add(temporary, tree.newDirectory(0o1777, "root"))
  add("/dev/null", tree.newDevice())
  add(home, tree.newDirectory(0o755))
  return new VirtualDisk(tree)
}
