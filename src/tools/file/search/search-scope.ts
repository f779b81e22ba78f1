import { flag, requirePath, type Workspace } from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { invalidArgument } from "../../arguments.ts"
import { type GlobPattern, parseGlob } from "./glob/glob-pattern.ts"

/** For every search: whether it also looks into what is left out by default. */
export const ignoredArgument = flag(
  "Also what .gitignore or .ignore leaves out, such as node_modules.",
)

/** What is shown of a search that found nothing, and of one that found more than it shows. */
export const noMatches = "No matches."
export const moreMatches = "[there are more: search for less, or raise limit]"

export interface SearchScope {
  /** Where ripgrep runs, absolute. */
  readonly directory: string
  /** The one file to search, relative to `directory`; null for everything in it. */
  readonly file: string | null
  /** How the caller named the directory, so that results are ready for the next call. */
  readonly base: string
}

/** What the path of a search leads to. */
export async function findScope(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
): Promise<SearchScope> {
  const absolute = requirePath(path, workspace, "path")
  const { type } = await workspace.stat(absolute, { signal })
  if (type === "directory") return { directory: absolute, file: null, base: path }
  if (type === "other") throw new WorkspaceError("not-file", absolute)
  const slash = absolute.lastIndexOf("/")
  return {
    directory: absolute.slice(0, slash) || "/",
    file: absolute.slice(slash + 1),
    base: path,
  }
}

export interface GlobRequest {
  readonly pattern: string
  readonly field: string
  readonly hidden: boolean
  /** The directory that the glob is relative to; a glob may also start with its absolute path. */
  readonly directory: string
}

/** The glob, or the failure that says what is wrong with it. */
export function requireGlob(request: GlobRequest): GlobPattern {
  const { pattern, field, directory, hidden } = request
  const inside = pattern.startsWith(`${directory}/`) ? pattern.slice(directory.length) : pattern
  const verdict = parseGlob(inside, { hidden })
  if (verdict.ok) return verdict.glob
  throw invalidArgument(
    field,
    `${JSON.stringify(pattern.slice(0, 80))} is not a valid glob: ${verdict.problem}.`,
    'a glob such as "**/*.ts" or "src/*.{js,ts}"',
  )
}
