import type { CallContext, Workspace } from "../../../contract/index.ts"
import { searchLimits } from "../../limits.ts"
import type { GlobPattern } from "./glob/glob-pattern.ts"
import type { GrepInput } from "./grep-tool.ts"
import { isGitInternal, listFiles, visibility } from "./list-files.ts"
import { batchNames } from "./posix-run.ts"
import { complaint, couldNotSearch, runRipgrep } from "./run-ripgrep.ts"
import { searchByGrep } from "./search-by-grep.ts"
import { readSearchRecord, SearchResults } from "./search-results.ts"
import type { SearchScope } from "./search-scope.ts"

export interface SearchQuery extends Omit<GrepInput, "glob"> {
  readonly scope: SearchScope
  readonly glob: GlobPattern | null
}

export interface SearchOutcome {
  readonly results: SearchResults
  readonly truncated: boolean
}

/** Searches inside the sandbox, with ripgrep where it has one: one file, a directory, or the files a glob chooses. */
export async function searchFiles(
  workspace: Workspace,
  query: SearchQuery,
  context: CallContext,
): Promise<SearchOutcome> {
  if (workspace.can.ripgrep === null) return searchByGrep(workspace, query, context)
  const targets = await chooseTargets(workspace, query, context)
  const search = { workspace, query, context, targets }
  // Side by side is faster, but only what is found whole can be put in order afterwards.
  const found = await searchTargets(search, "any-order")
  return found.results.truncated ? searchTargets(search, "by-path") : found
}

interface Search {
  readonly workspace: Workspace
  readonly query: SearchQuery
  readonly context: CallContext
  readonly targets: Targets
}

async function searchTargets(search: Search, order: SearchOrder): Promise<SearchOutcome> {
  const { workspace, query, context, targets } = search
  const results = new SearchResults(query.limit, query.context_lines)
  let cut = targets.truncated
  for (const target of targets.batches) {
    const end = await runRipgrep({
      workspace,
      directory: query.scope.directory,
      arguments: [...searchArguments(query, order), ...target],
      separator: 0x0a,
      signal: context.signal,
      onRecord: (line) => {
        const record = readSearchRecord(line)
        if ("path" in record && isGitInternal(record.path)) return "more"
        const verdict = results.add(record)
        return order === "any-order" && results.truncated ? "enough" : verdict
      },
    })
    if (end.exitCode !== 0 && end.stderr.trim() !== "") {
      if (!results.ran) throw couldNotSearch(query, end)
      context.warn(`Some files could not be searched: ${complaint(end.stderr)}.`)
    }
    if (end.dropped > 0) context.warn(`Lines too long to show were left out: ${end.dropped}.`)
    cut ||= end.cut || end.dropped > 0
    if (end.kind === "stopped") break
  }
  return { results, truncated: cut || results.truncated }
}

type SearchOrder = "any-order" | "by-path"

function searchArguments(query: SearchQuery, order: SearchOrder): readonly string[] {
  return [
    "--json",
    ...(order === "by-path" ? ["--sort", "path"] : []),
    query.case_sensitive ? "--case-sensitive" : "--ignore-case",
    ...(query.fixed ? ["--fixed-strings"] : []),
    ...(query.context_lines > 0 ? ["-C", String(query.context_lines)] : []),
    // One more than wanted in a file tells whether there are more.
    "-m",
    String(query.limit + 1),
    // Files that are named one by one are wanted, whatever .gitignore says about them.
    ...(query.scope.file === null && !query.glob ? visibility(query) : ["--hidden", "--no-ignore"]),
    "-e",
    query.pattern,
  ]
}

interface Targets {
  /** Each is the end of one command line. */
  readonly batches: readonly (readonly string[])[]
  readonly truncated: boolean
}

/**
 * A glob is applied here and the files are named one by one, because ripgrep's own --glob
 * overrides .gitignore and differs between builds.
 */
async function chooseTargets(
  workspace: Workspace,
  query: SearchQuery,
  context: CallContext,
): Promise<Targets> {
  const { scope, glob } = query
  if (scope.file !== null) {
    return {
      batches: !glob || glob.matches(scope.file) ? [[`./${scope.file}`]] : [],
      truncated: false,
    }
  }
  if (!glob) return { batches: [["."]], truncated: false }
  const { directory } = scope
  const { files, truncated } = await listFiles(
    workspace,
    { ...query, directory, glob, limit: searchLimits.files },
    context,
  )
  return { batches: batchNames(files.map((file) => `./${file}`)), truncated }
}
