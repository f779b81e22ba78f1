import { listOf, textOf } from "./read-field.ts"

/** One name of a listing, with what is below it. */
export interface TreeNode {
  readonly name: string
  readonly path: string
  readonly type: string
  readonly children: readonly TreeNode[]
}

interface Growing extends TreeNode {
  readonly children: Growing[]
}

/** The entries of a listing as a tree: each below the directory that its path names, if that is listed. */
export function listingTree(result: unknown): readonly TreeNode[] {
  const roots: Growing[] = []
  const directories = new Map<string, Growing>()
  for (const entry of listOf(result, "entries")) {
    const name = textOf(entry, "name") ?? ""
    const path = textOf(entry, "path") ?? name
    const node: Growing = { name, path, type: textOf(entry, "type") ?? "other", children: [] }
    const above = directories.get(path.slice(0, Math.max(0, path.length - name.length - 1)))
    ;(above?.children ?? roots).push(node)
    if (node.type === "directory") directories.set(path, node)
  }
  return roots
}
