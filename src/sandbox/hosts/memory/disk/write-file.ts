import { DiskError } from "./disk-error.ts"
import { type DiskNode, type FileNode, mayAccess } from "./disk-node.ts"
import type { DiskTree } from "./disk-tree.ts"

export interface DiskWrite {
  readonly append: boolean
  /** Permission bits of a file that is made; null for the usual ones. */
  readonly mode: number | null
  readonly makeParents: boolean
}

/** Writes in one step. The disk keeps `data`: its caller must not change it afterwards. */
export function writeFile(tree: DiskTree, path: string, data: Uint8Array, write: DiskWrite): void {
  const place = write.makeParents ? tree.findMaking(path) : tree.find(path, true)
  if (place.node === null) {
    tree.add(place, tree.newFile(data, write.mode ?? 0o644), path)
    return
  }
  const node = requireWritable(place.node, path)
  if (node.kind === "device") return
  if (write.append) append(tree, node, data, path)
  else replace(tree, node, data, path)
  node.modifiedMs = Date.now()
}

function requireWritable(node: DiskNode, path: string) {
  if (node.kind === "directory") throw new DiskError("EISDIR", path)
  if (node.kind === "symlink") throw new DiskError("EINVAL", path)
  if (!mayAccess(node, "write")) throw new DiskError("EACCES", path)
  return node
}

function replace(tree: DiskTree, file: FileNode, data: Uint8Array, path: string): void {
  tree.space.take(data.length - file.size, path)
  file.buffer = data
  file.size = data.length
}

function append(tree: DiskTree, file: FileNode, data: Uint8Array, path: string): void {
  tree.space.take(data.length, path)
  const size = file.size + data.length
  if (size > file.buffer.length) {
    const longer = new Uint8Array(Math.max(size, Math.ceil(file.size * 1.5)))
    longer.set(file.buffer.subarray(0, file.size))
    file.buffer = longer
  }
  file.buffer.set(data, file.size)
  file.size = size
}
