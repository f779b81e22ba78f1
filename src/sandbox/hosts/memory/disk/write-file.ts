import { DiskError, type DiskNode, type FileNode, mayAccess } from "./disk-node.ts"
import type { DiskTree } from "./disk-tree.ts"

export interface DiskWrite {
  readonly append: boolean
  /** Permission bits of a file that is made; null for the default ones. */
  readonly mode: number | null
  readonly makeParents: boolean
}

/** Writes in one step. The disk stores `data` itself: its caller must not change it afterwards. */
export function writeFile(tree: DiskTree, path: string, data: Uint8Array, write: DiskWrite): void {
  if (write.makeParents) tree.makeParents(path)
  const dentry = tree.find(path, true)
  if (dentry.node === null) {
    tree.add(dentry, tree.newFile(data, write.mode ?? 0o644))
    return
  }
  change(tree, dentry.node, data, write.append ? append : replace)
}

export function overwriteFile(tree: DiskTree, node: DiskNode, data: Uint8Array): void {
  change(tree, node, data, replace)
}

function change(tree: DiskTree, node: DiskNode, data: Uint8Array, how: typeof replace): void {
  if (node.kind === "directory") throw new DiskError("EISDIR")
  if (!mayAccess(node, "write")) throw new DiskError("EACCES")
  if (node.kind !== "file") return
  how(tree, node, data)
  node.modifiedMs = Date.now()
  tree.version += 1
}

function replace(tree: DiskTree, file: FileNode, data: Uint8Array): void {
  tree.space.take(data.length - file.size)
  file.buffer = data
  file.size = data.length
}

function append(tree: DiskTree, file: FileNode, data: Uint8Array): void {
  tree.space.take(data.length)
  const size = file.size + data.length
  if (size > file.buffer.length) {
    const longer = new Uint8Array(Math.max(size, Math.ceil(file.size * 1.5)))
    longer.set(file.buffer.subarray(0, file.size))
    file.buffer = longer
  }
  file.buffer.set(data, file.size)
  file.size = size
}
