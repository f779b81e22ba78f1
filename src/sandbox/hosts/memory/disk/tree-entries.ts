import { limits } from "../../../../contract/index.ts"
import type { PackedEntry } from "../../../trees/pack-archive.ts"
import { DiskError } from "./disk-error.ts"
import { type DirectoryNode, type DiskNode, type FileNode, mayAccess } from "./disk-node.ts"

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
  const step = limits.file.chunkBytes
  for (let start = 0; start < size; start += step) {
    yield buffer.slice(start, Math.min(size, start + step))
  }
}

function factsOf(name: string, { mode, modifiedMs }: DiskNode) {
  return { name, mode, modifiedMs }
}
