import { contentOf, type DirectoryNode, DiskError, type DiskNode, mayAccess } from "./disk-node.ts"
import type { Dentry, DiskTree } from "./disk-tree.ts"
import { overwriteFile } from "./write-file.ts"

/** Copies a file, or with `recursive` a whole directory into the one that is there. */
export function copyNode(tree: DiskTree, from: string, to: string, recursive: boolean): void {
  // As cp does it: a link that is named is followed, one that is found inside a tree stays a link.
  const source = tree.require(from, !recursive)
  const target = tree.find(to, true)
  if (source.kind !== "directory") {
    copyLeaf(tree, source, target)
    return
  }
  if (!recursive) throw new DiskError("EISDIR")
  if (isWithin(source, target.parent)) throw new DiskError("EINVAL")
  copyDirectory(tree, source, target)
}

/** Whether a directory is another one or lies below it. */
export function isWithin(outer: DiskNode, inner: DirectoryNode): boolean {
  for (let at: DirectoryNode | null = inner; at !== null; at = at.parent) {
    if (at === outer) return true
  }
  return false
}

function copyDirectory(tree: DiskTree, source: DirectoryNode, target: Dentry): void {
  const left: [DirectoryNode, Dentry][] = [[source, target]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [directory, dentry] = next
    if (!mayAccess(directory, "read")) throw new DiskError("EACCES")
    const made = dentry.node ?? tree.add(dentry, tree.newDirectory(directory.mode))
    if (made.kind !== "directory") throw new DiskError("ENOTDIR")
    for (const [name, node] of directory.entries) {
      const inside: Dentry = { parent: made, name, node: made.entries.get(name) ?? null }
      if (node.kind === "directory") left.push([node, inside])
      else copyLeaf(tree, node, inside)
    }
  }
}

function copyLeaf(tree: DiskTree, source: DiskNode, target: Dentry): void {
  if (target.node?.kind === "directory") throw new DiskError("EISDIR")
  if (target.node === source) return
  if (source.kind === "symlink" || target.node?.kind === "symlink") {
    if (target.node !== null) tree.remove(target)
    tree.add(target, copyOf(tree, source))
  } else if (target.node === null) tree.add(target, copyOf(tree, source))
  else overwriteFile(tree, target.node, readable(source))
}

function copyOf(tree: DiskTree, source: DiskNode): DiskNode {
  if (source.kind === "symlink") return tree.newLink(source.target)
  return tree.newFile(readable(source), source.mode)
}

function readable(source: DiskNode): Uint8Array {
  if (!mayAccess(source, "read")) throw new DiskError("EACCES")
  return source.kind === "file" ? contentOf(source) : new Uint8Array()
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
