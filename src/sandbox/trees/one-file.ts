import { WorkspaceError } from "../workspace-error.ts"

interface Entry {
  readonly kind: string
  readonly name: string
}

/** The one regular file that an archive holds; refused when it holds anything else. */
export function requireOneFile<Any extends Entry>(
  entries: readonly Any[],
  path: string,
): Extract<Any, { kind: "file" }> {
  const [only, ...more] = entries.filter(({ name }) => name !== "")
  const isOne = only?.kind === "file" && !only.name.includes("/") && more.length === 0
  if (!isOne) throw new WorkspaceError("not-file", path)
  return only as Extract<Any, { kind: "file" }>
}
