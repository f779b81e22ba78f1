import { isWithin } from "./copy-node.ts"
import { DiskError } from "./disk-error.ts"
import type { DiskNode } from "./disk-node.ts"
import type { DiskTree } from "./disk-tree.ts"

/** Moves a name; what had the new name before is replaced, as rename(2) does it. */
export function renameNode(tree: DiskTree, from: string, to: string): void {
  const source = tree.find(from, false)
  if (source.node === null) throw new DiskError("ENOENT", from)
  const target = tree.find(to, false)
  if (target.node === source.node) return
  tree.checkChangeable(source, from)
  tree.checkChangeable(target, to)
  if (isWithin(source.node, target.parent)) throw new DiskError("EINVAL", to)
  if (target.node !== null) {
    checkReplaceable(source.node, target.node, to)
    tree.remove(target, to)
  }
  tree.move(source, target, to)
}

function checkReplaceable(source: DiskNode, target: DiskNode, path: string): void {
  if (target.kind !== "directory") {
    if (source.kind === "directory") throw new DiskError("ENOTDIR", path)
    return
  }
  if (source.kind !== "directory") throw new DiskError("EISDIR", path)
  if (target.entries.size > 0) throw new DiskError("ENOTEMPTY", path)
}
