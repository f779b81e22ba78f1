import { createId } from "../../../../kit/index.ts"
import { contentOf, type DirectoryNode, DiskError, type DiskNode, mayAccess } from "./disk-node.ts"
import type { Dentry, DiskTree } from "./disk-tree.ts"
import { overwriteFile } from "./write-file.ts"

/** As cp does it: a file, or with `recursive` a whole directory into the one that is there. */
export function copyNode(tree: DiskTree, from: string, to: string, recursive: boolean): void {
  // A link that is named is followed, one that is found inside a tree stays a link.
  const source = tree.require(from, !recursive)
  const target = tree.find(to, true)
  if (source.kind === "directory") {
    if (!recursive) throw new DiskError("EISDIR")
    if (isWithin(source, target.parent)) throw new DiskError("EINVAL")
  }
  copyAll(source, target, (node, dentry) => copyOver(tree, node, dentry))
}

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
    const copies = copyAll(source, made, (node, dentry) => {
      if (node.kind === "device") throw new DiskError("EPERM")
      // The copy of a directory that is closed for writing is filled all the same.
      return tree.addAsRoot(dentry, copyOf(tree, node))
    })
    for (const [node, copy] of copies) copy.modifiedMs = node.modifiedMs
    if (target.node !== null) tree.remove(target)
    tree.move({ ...made, node: madeNode() }, { ...target, node: null })
  } catch (error) {
    const node = madeNode()
    if (node !== null) tree.remove({ ...made, node })
    throw error
  }
}

type Copy = readonly [source: DiskNode, copy: DiskNode]

/** `copy` answers with what is there afterwards. */
function copyAll(
  source: DiskNode,
  target: Dentry,
  copy: (node: DiskNode, dentry: Dentry) => DiskNode,
): readonly Copy[] {
  const copies: Copy[] = []
  // A list instead of recursion: a tree can be deeper than the call stack.
  const left: (readonly [DiskNode, Dentry])[] = [[source, target]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [node, dentry] = next
    const made = copy(node, dentry)
    copies.push([node, made])
    if (node.kind !== "directory" || made.kind !== "directory") continue
    for (const [name, inside] of node.entries) {
      left.push([inside, { parent: made, name, node: made.entries.get(name) ?? null }])
    }
  }
  return copies
}

function copyOver(tree: DiskTree, source: DiskNode, target: Dentry): DiskNode {
  const there = target.node
  if (there === null) return tree.add(target, copyOf(tree, source))
  if (there === source) return there
  if (source.kind === "directory") {
    requireReadable(source)
    if (there.kind !== "directory") throw new DiskError("ENOTDIR")
    return there
  }
  if (there.kind === "directory") throw new DiskError("EISDIR")
  if (source.kind === "symlink" || there.kind === "symlink") {
    tree.remove(target)
    return tree.add(target, copyOf(tree, source))
  }
  requireReadable(source)
  overwriteFile(tree, there, source.kind === "file" ? contentOf(source) : new Uint8Array())
  return there
}

function copyOf(tree: DiskTree, source: DiskNode): DiskNode {
  if (source.kind === "symlink") return tree.newLink(source.target)
  requireReadable(source)
  if (source.kind === "directory") return tree.newDirectory(source.mode)
  return tree.newFile(source.kind === "file" ? contentOf(source) : new Uint8Array(), source.mode)
}

function requireReadable(node: DiskNode): void {
  if (!mayAccess(node, "read")) throw new DiskError("EACCES")
}

/** Whether a directory is another one or lies below it. */
function isWithin(outer: DiskNode, inner: DirectoryNode): boolean {
  for (let at: DirectoryNode | null = inner; at !== null; at = at.parent) {
    if (at === outer) return true
  }
  return false
}

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
    // Linux looks at this before it looks at kinds, so also a file can't replace a directory that it is in.
    if (isWithin(target.node, source.parent)) throw new DiskError("ENOTEMPTY")
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
