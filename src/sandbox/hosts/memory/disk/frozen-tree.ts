import type { DirectoryNode, DiskNode, DiskSpace } from "./disk-node.ts"
import type { DiskTree } from "./disk-tree.ts"

/** A directory as it was, which nobody changes. Its files share their bytes with those that they were. */
export interface FrozenTree {
  readonly top: FrozenNode
  /** The disk that pays for what is held may have it back. */
  release(): void
}

interface FrozenNode {
  readonly mode: number
  readonly modifiedMs: number
  readonly content: FrozenContent
}

type FrozenContent =
  | { readonly kind: "file"; readonly bytes: Uint8Array }
  | { readonly kind: "symlink"; readonly target: string }
  | { readonly kind: "directory"; readonly entries: Map<string, FrozenNode> }

/** How many frozen trees of one disk hold the same bytes: they are paid for once. */
export type FrozenBytes = Map<ArrayBufferLike, number>

/** A write replaces a file's buffer, and an append leaves this part of it as it is: so nothing is copied. */
export function freezeTree(from: DirectoryNode, space: DiskSpace, held: FrozenBytes): FrozenTree {
  const frozen = new Map<DiskNode, FrozenNode>()
  const buffers = new Set<ArrayBufferLike>()
  const freeze = (node: DiskNode): FrozenNode | null => {
    const known = frozen.get(node)
    if (known) return known
    const content = freezeContent(node)
    if (content === null) return null
    if (content.kind === "file") buffers.add(content.bytes.buffer)
    const made = { mode: node.mode, modifiedMs: node.modifiedMs, content }
    // Two names that lead to one file still do.
    frozen.set(node, made)
    return made
  }
  const top: FrozenNode = {
    mode: from.mode,
    modifiedMs: from.modifiedMs,
    content: { kind: "directory", entries: new Map() },
  }
  // A list instead of recursion: a tree can be deeper than the call stack.
  const left: (readonly [DirectoryNode, FrozenNode])[] = [[from, top]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [directory, { content }] = next
    for (const [name, node] of directory.entries) {
      const made = freeze(node)
      if (made === null || content.kind !== "directory") continue
      content.entries.set(name, made)
      if (node.kind === "directory") left.push([node, made])
    }
  }
  return { top, release: hold([...buffers], space, held) }
}

function freezeContent(node: DiskNode): FrozenContent | null {
  switch (node.kind) {
    case "file":
      return { kind: "file", bytes: node.buffer.subarray(0, node.size) }
    case "symlink":
      return { kind: "symlink", target: node.target }
    case "directory":
      return { kind: "directory", entries: new Map() }
    case "device":
      return null
    default:
      return node satisfies never
  }
}

/** Takes room for what no other frozen tree holds, all of it or nothing. */
function hold(
  buffers: readonly ArrayBufferLike[],
  space: DiskSpace,
  held: FrozenBytes,
): () => void {
  const fresh = buffers.filter((buffer) => !held.has(buffer))
  space.take(fresh.reduce((sum, { byteLength }) => sum + byteLength, 0))
  for (const buffer of buffers) held.set(buffer, (held.get(buffer) ?? 0) + 1)
  return () => {
    for (const buffer of buffers) {
      const others = (held.get(buffer) ?? 1) - 1
      if (others > 0) held.set(buffer, others)
      else if (held.delete(buffer)) space.take(-buffer.byteLength)
    }
  }
}

/** Gives a new, empty directory what a frozen one has. */
export function thawTree(tree: DiskTree, { top }: FrozenTree, to: DirectoryNode): void {
  const thawed = new Map<FrozenNode, DiskNode>()
  const facts: (readonly [DiskNode, FrozenNode])[] = [[to, top]]
  const left: (readonly [FrozenNode, DirectoryNode])[] = [[top, to]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [{ content }, parent] = next
    if (content.kind !== "directory") continue
    for (const [name, inside] of content.entries) {
      const node = thawed.get(inside) ?? thaw(tree, inside)
      thawed.set(inside, node)
      tree.addAsRoot({ parent, name, node: null }, node)
      facts.push([node, inside])
      if (node.kind === "directory") left.push([inside, node])
    }
  }
  // Last: until then directories change.
  for (const [node, { mode, modifiedMs }] of facts) Object.assign(node, { mode, modifiedMs })
}

function thaw(tree: DiskTree, { mode, content }: FrozenNode): DiskNode {
  switch (content.kind) {
    case "file":
      return tree.newFile(content.bytes, mode)
    case "symlink":
      return tree.newLink(content.target)
    case "directory":
      return tree.newDirectory(mode)
    default:
      return content satisfies never
  }
}
