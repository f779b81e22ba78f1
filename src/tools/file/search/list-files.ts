import type { CallContext, Workspace } from "../../../contract/index.ts"
import type { GlobPattern } from "./glob/glob-pattern.ts"
import { listByFind } from "./list-by-find.ts"
import { complaint, couldNotLook, runRipgrep, withoutDot } from "./run-ripgrep.ts"

export interface FileQuery {
  /** Where to look, absolute. */
  readonly directory: string
  readonly glob: GlobPattern
  readonly include_hidden: boolean
  readonly include_ignored: boolean
  readonly limit: number
}

export interface FoundFiles {
  /** Relative to the directory, sorted. */
  readonly files: readonly string[]
  readonly truncated: boolean
}

/** The files below a directory that a glob chooses, listed inside the sandbox: by ripgrep, where it has one. */
export async function listFiles(
  workspace: Workspace,
  query: FileQuery,
  context: CallContext,
): Promise<FoundFiles> {
  if (workspace.can.ripgrep === null) return listByFind(workspace, query, context)
  const { names } = query.glob
  const files: string[] = []
  const end = await runRipgrep({
    workspace,
    directory: query.directory,
    arguments: ["--files", "--null", ...order(names), ...visibility(query), "."],
    separator: 0,
    signal: context.signal,
    onRecord: (record) => {
      const file = withoutDot(record)
      if (!isGitInternal(file) && query.glob.matches(file)) files.push(file)
      if (names === null) return files.length > query.limit ? "enough" : "more"
      // In no order: only those that may be among the first are kept.
      if (files.length > mostKept) files.sort().splice(query.limit + 1)
      return "more"
    },
  })
  if (end.exitCode > 1 || (end.exitCode === 1 && end.stderr !== "")) {
    if (files.length === 0) throw couldNotLook(end.stderr)
    context.warn(`Some directories could not be read: ${complaint(end.stderr)}.`)
  }
  const truncated = files.length > query.limit || end.cut
  const kept = names === null ? files.slice(0, query.limit).sort() : files.sort()
  return { files: kept.slice(0, query.limit), truncated }
}

const mostKept = 20_000

/**
 * Where the names are known, ripgrep leaves all other files out itself and looks into directories side by
 * side. Otherwise they come in order, and it can be stopped at the limit. As a type of files and not as its
 * own kind of glob, which would show ignored files again.
 */
function order(names: readonly string[] | null): readonly string[] {
  if (names === null) return ["--sort", "path"]
  return [...names.map((name) => `--type-add=wanted:${name}`), "--type=wanted"]
}

/** Which files ripgrep passes over on its own. */
export function visibility(query: {
  readonly include_hidden: boolean
  readonly include_ignored: boolean
  readonly glob?: GlobPattern | null
}): readonly string[] {
  const hidden = query.include_hidden || (query.glob?.namesHidden ?? false)
  return [
    ...(hidden ? ["--hidden", "--glob=!.git"] : []),
    ...(query.include_ignored ? ["--no-ignore"] : []),
  ]
}

/** git's own files: thousands of them, and never what is looked for. */
export function isGitInternal(path: string): boolean {
  return path.startsWith(".git/") || path.includes("/.git/")
}
