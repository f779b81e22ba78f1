import { isWithin } from "./copy-node.ts"
import { DiskError } from "./disk-error.ts"
import type { DiskNode } from "./disk-node.ts"
import type { DiskTree } from "./disk-tree.ts"

/** Moves a name; what had the new name before is replaced, as rename(2) does it. */
export function renameNode(tree: DiskTree, from: string, to: string): void {
  const source = tree.find(from, false)
  const target = tree.find(to, false)
  if (source.node === null) throw new DiskError("ENOENT")
  if (target.node === source.node) return
  tree.checkChangeable(source)
  tree.checkChangeable(target)
  if (isWithin(source.node, target.parent)) throw new DiskError("EINVAL")
  if (target.node !== null) {
    checkReplaceable(source.node, target.node)
    tree.remove(target)
  }
  tree.move(source, target)
}

function checkReplaceable(source: DiskNode, target: DiskNode): void {
  if (target.kind !== "directory") {
    if (source.kind === "directory") throw new DiskError("ENOTDIR")
    return
  }
  if (source.kind !== "directory") throw new DiskError("EISDIR")
  if (target.entries.size > 0) throw new DiskError("ENOTEMPTY")
}
