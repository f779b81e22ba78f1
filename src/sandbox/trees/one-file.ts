import { WorkspaceError } from "../host/workspace-error.ts"

interface Entry {
  readonly kind: string
  readonly name: string
}

/** The one regular file that an archive holds; refused when it holds anything else. */
export function requireOneFile<Any extends Entry>(
  entries: readonly Any[],
  path: string,
): Any & { readonly kind: "file" } {
  const [only, ...more] = entries.filter(({ name }) => name !== "")
  if (only && isFile(only) && !only.name.includes("/") && more.length === 0) return only
  throw new WorkspaceError("not-file", path)
}

function isFile<Any extends Entry>(entry: Any): entry is Any & { readonly kind: "file" } {
  return entry.kind === "file"
}
