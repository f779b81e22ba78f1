import { limits } from "../../../../contract/index.ts"
import type { PackedEntry } from "../../../trees/pack-archive.ts"
import type { EntryFacts } from "../../../trees/read-archive.ts"
import {
  type DirectoryNode,
  DiskError,
  type DiskNode,
  type FileNode,
  mayAccess,
} from "./disk-node.ts"
import type { Dentry, DiskTree } from "./disk-tree.ts"

/** What an archive holds, read into memory. */
export type LoadedEntry = { readonly name: string } & (
  | ({ readonly kind: "directory" } & EntryFacts)
  | ({ readonly kind: "symlink"; readonly target: string } & EntryFacts)
  | { readonly kind: "link"; readonly target: string }
  | ({ readonly kind: "file"; readonly data: Uint8Array } & EntryFacts)
)

/**
 * Puts them all below a directory in one step. No link is followed on the way down: one that stands
 * where a directory belongs is replaced by it.
 */
export function unpackEntries(tree: DiskTree, top: DirectoryNode, loaded: readonly LoadedEntry[]) {
  const directories: (readonly [DirectoryNode, EntryFacts])[] = []
  for (const entry of loaded) {
    const parts = entry.name.split("/").filter((part) => part !== "")
    if (entry.kind === "directory") {
      directories.push([descend(tree, top, parts), entry])
      continue
    }
    const name = parts.pop() ?? ""
    const parent = descend(tree, top, parts)
    const dentry: Dentry = { parent, name, node: parent.entries.get(name) ?? null }
    if (dentry.node?.kind === "directory") throw new DiskError("EISDIR")
    const node = nodeFor(tree, top, entry)
    if (dentry.node === node) continue
    if (dentry.node !== null) tree.remove(dentry)
    tree.add(dentry, node)
    if (entry.kind !== "link") node.modifiedMs = entry.modifiedMs
  }
  // Last: until then they change, and one may be closed for writing.
  for (const [directory, { mode, modifiedMs }] of directories) {
    if (directory.owner !== "user") continue
    directory.mode = mode
    directory.modifiedMs = modifiedMs
  }
}

function descend(tree: DiskTree, top: DirectoryNode, parts: readonly string[]): DirectoryNode {
  let at = top
  for (const name of parts) {
    if (!mayAccess(at, "search")) throw new DiskError("EACCES")
    const dentry: Dentry = { parent: at, name, node: at.entries.get(name) ?? null }
    if (dentry.node?.kind === "directory") at = dentry.node
    else {
      if (dentry.node !== null) tree.remove(dentry)
      at = tree.add(dentry, tree.newDirectory(0o755))
    }
  }
  return at
}

function nodeFor(
  tree: DiskTree,
  top: DirectoryNode,
  entry: Exclude<LoadedEntry, { kind: "directory" }>,
): DiskNode {
  switch (entry.kind) {
    case "file":
      return tree.newFile(entry.data, entry.mode)
    case "symlink":
      return tree.newLink(entry.target)
    case "link":
      return linked(top, entry.target)
    default:
      return entry satisfies never
  }
}

function linked(top: DirectoryNode, target: string): DiskNode {
  let node: DiskNode | undefined = top
  for (const part of target.split("/")) {
    node = node?.kind === "directory" ? node.entries.get(part) : undefined
  }
  if (node === undefined || node.kind === "directory") throw new DiskError("ENOENT")
  return node
}

/** A directory and all that is in it, as it is now: what changes later does not show. */
export function treeEntries(top: DirectoryNode): readonly PackedEntry[] {
  const entries: PackedEntry[] = []
  const left: (readonly [string, DiskNode])[] = [["", top]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [name, node] = next
    if (node.kind === "device") continue
    if (node.kind === "file") entries.push(fileEntry(name, node))
    if (node.kind === "symlink") {
      entries.push({ ...factsOf(name, node), kind: "symlink", target: node.target })
    }
    if (node.kind !== "directory") continue
    if (!mayAccess(node, "read")) throw new DiskError("EACCES")
    entries.push({ ...factsOf(name, node), kind: "directory" })
    const names = [...node.entries].sort(([a], [b]) => (a < b ? 1 : -1))
    for (const [inside, child] of names) left.push([name ? `${name}/${inside}` : inside, child])
  }
  return entries
}

export function fileEntry(name: string, file: FileNode): PackedEntry {
  if (!mayAccess(file, "read")) throw new DiskError("EACCES")
  // A write replaces the buffer, and an append leaves this part of it as it is.
  const { buffer, size } = file
  return { ...factsOf(name, file), kind: "file", size, content: pieces(buffer, size) }
}

function* pieces(buffer: Uint8Array, size: number): Generator<Uint8Array> {
  const step = limits.chunkBytes
  for (let start = 0; start < size; start += step) {
    yield buffer.slice(start, Math.min(size, start + step))
  }
}

function factsOf(name: string, { mode, modifiedMs }: DiskNode) {
  return { name, mode, modifiedMs }
}
