import { DiskError } from "./disk-error.ts"
import { contentOf, type DirectoryNode, type DiskNode, mayAccess } from "./disk-node.ts"
import type { DiskTree } from "./disk-tree.ts"
import type { Place } from "./walk-disk.ts"
import { writeFile } from "./write-file.ts"

/** Copies a file, or with `recursive` a whole directory into the one that is there. */
export function copyNode(tree: DiskTree, from: string, to: string, recursive: boolean): void {
  // As cp does it: a link that is named is followed, one that is found inside a tree is kept.
  const source = tree.require(from, !recursive)
  const target = tree.find(to, true)
  if (source.kind !== "directory") {
    copyLeaf(tree, source, target, to)
    return
  }
  if (!recursive) throw new DiskError("EISDIR", from)
  if (isWithin(source, target.parent)) throw new DiskError("EINVAL", to)
  copyDirectory(tree, source, target, to)
}

/** Whether a directory is another one or lies below it. */
export function isWithin(outer: DiskNode, inner: DirectoryNode): boolean {
  for (let at: DirectoryNode | null = inner; at !== null; at = at.parent) {
    if (at === outer) return true
  }
  return false
}

function copyDirectory(tree: DiskTree, source: DirectoryNode, target: Place, to: string): void {
  const left: [DirectoryNode, Place, string][] = [[source, target, to]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [directory, place, path] = next
    if (!mayAccess(directory, "read")) throw new DiskError("EACCES", path)
    const made = place.node ?? tree.add(place, tree.newDirectory(directory.mode), path)
    if (made.kind !== "directory") throw new DiskError("ENOTDIR", path)
    for (const [name, node] of directory.entries) {
      const inside: Place = { parent: made, name, node: made.entries.get(name) ?? null }
      if (node.kind === "directory") left.push([node, inside, `${path}/${name}`])
      else copyLeaf(tree, node, inside, `${path}/${name}`)
    }
  }
}

function copyLeaf(tree: DiskTree, source: DiskNode, target: Place, path: string): void {
  if (target.node?.kind === "directory") throw new DiskError("EISDIR", path)
  if (target.node === source) return
  if (source.kind === "symlink") {
    if (target.node !== null) tree.remove(target, path)
    tree.add(target, tree.newLink(source.target), path)
    return
  }
  if (!mayAccess(source, "read")) throw new DiskError("EACCES", path)
  const data = source.kind === "file" ? contentOf(source) : new Uint8Array()
  if (target.node === null) tree.add(target, tree.newFile(data, source.mode), path)
  else writeFile(tree, path, data, { append: false, mode: null, makeParents: false })
}
