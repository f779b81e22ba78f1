import { createId } from "../../../../kit/index.ts"
import { isWithin } from "./copy-node.ts"
import { contentOf, DiskError, type DiskNode, mayAccess } from "./disk-node.ts"
import type { Dentry, DiskTree } from "./disk-tree.ts"

/**
 * Copies a file, a link or a whole tree with permissions and times, and puts it in the place of what
 * is there. Made under another name first: what does not fit leaves the old one.
 */
export function copyTree(tree: DiskTree, from: string, to: string): void {
  const source = tree.require(from, false)
  const target = tree.find(to, false)
  if (isWithin(source, target.parent)) throw new DiskError("EINVAL")
  tree.checkChangeable(target)
  const made: Dentry = { ...target, name: `.toolkeep-${createId("copy")}`, node: null }
  const madeNode = () => made.parent.entries.get(made.name) ?? null
  try {
    copyAll(tree, source, made)
    if (target.node !== null) tree.remove(target)
    tree.move({ ...made, node: madeNode() }, { ...target, node: null })
  } catch (error) {
    const node = madeNode()
    if (node !== null) tree.remove({ ...made, node })
    throw error
  }
}

function copyAll(tree: DiskTree, source: DiskNode, target: Dentry): void {
  const copies: (readonly [DiskNode, DiskNode])[] = []
  // A list instead of recursion: a tree can be deeper than the call stack.
  const left: (readonly [DiskNode, Dentry])[] = [[source, target]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [node, dentry] = next
    const copy = copyOf(tree, node)
    // The copy of a directory that is closed for writing is filled all the same.
    tree.addAsRoot(dentry, copy)
    copies.push([node, copy])
    if (node.kind !== "directory" || copy.kind !== "directory") continue
    for (const [name, inside] of node.entries) {
      left.push([inside, { parent: copy, name, node: null }])
    }
  }
  for (const [node, copy] of copies) copy.modifiedMs = node.modifiedMs
}

function copyOf(tree: DiskTree, source: DiskNode): DiskNode {
  if (source.kind === "symlink") return tree.newLink(source.target)
  if (source.kind === "device") throw new DiskError("EPERM")
  if (!mayAccess(source, "read")) throw new DiskError("EACCES")
  if (source.kind === "directory") return tree.newDirectory(source.mode)
  return tree.newFile(contentOf(source), source.mode)
}
