import type { CallContext, Workspace } from "../../../contract/index.ts"
import { quoteArguments } from "../../../kit/index.ts"
import { searchLimits } from "../../limits.ts"
import { parseGlob } from "./glob/glob-pattern.ts"
import { listByFind } from "./list-by-find.ts"
import { posixPattern } from "./posix-pattern.ts"
import { batchNames, type PosixEnd, runPosix } from "./posix-run.ts"
import { complaint, couldNotSearch } from "./run-ripgrep.ts"
import type { SearchOutcome, SearchQuery } from "./search-files.ts"
import { type LineRecord, SearchResults } from "./search-results.ts"

interface GrepSearch {
  readonly workspace: Workspace
  readonly query: SearchQuery
  readonly context: CallContext
  /** grep's options and its pattern, as a shell reads them. */
  readonly words: string
}

/** As `searchFiles`, in a sandbox without ripgrep: by its find and grep. */
export async function searchByGrep(
  workspace: Workspace,
  query: SearchQuery,
  context: CallContext,
): Promise<SearchOutcome> {
  const search = { workspace, query, context, words: grepWords(query) }
  const { files, truncated } = await chooseFiles(search)
  const results = new SearchResults(query.limit, 0)
  results.ran = true
  let cut = truncated
  for (const batch of batchNames(files.map((file) => `./${file}`))) {
    for (const names of batchNames(await namesThatMatch(search, batch))) {
      const lines = await linesThatMatch(search, names)
      for (const record of lines.records) results.add(record)
      cut ||= lines.cut
    }
    if (results.truncated) break
  }
  return { results, truncated: cut || results.truncated }
}

function grepWords(query: SearchQuery): string {
  const pattern = query.fixed ? null : posixPattern(query.pattern)
  const ignoresCase = !query.case_sensitive || pattern?.ignoresCase === true
  const kind = pattern ? ["-E", "-e", pattern.text] : ["-F", "-e", query.pattern]
  return quoteArguments([...(ignoresCase ? ["-i"] : []), ...kind])
}

async function chooseFiles({ workspace, query, context }: GrepSearch) {
  const { scope, glob } = query
  if (scope.file !== null) {
    return { files: !glob || glob.matches(scope.file) ? [scope.file] : [], truncated: false }
  }
  const every = parseGlob("**", { hidden: query.include_hidden })
  if (!every.ok) throw new Error(every.problem)
  const { directory } = scope
  const wanted = { ...query, directory, glob: glob ?? every.glob, limit: searchLimits.files }
  return listByFind(workspace, wanted, context)
}

/** Before the search, in the same command: a pattern that this grep can't read, and whether it knows text from bytes. */
const prepare = (words: string) => `grep ${words} </dev/null >/dev/null
[ $? -le 1 ] || exit 3
a=; if echo x | grep -a x >/dev/null 2>&1; then a=-a; fi`

const badPattern = 3

/** Names that grep's list of names can't tell apart, or that the virtual grep reads as patterns: looked at anyway. */
const oddName = /[\n*?[\\]/

async function namesThatMatch(
  search: GrepSearch,
  batch: readonly string[],
): Promise<readonly string[]> {
  const { words } = search
  const names = batch.filter((name) => !oddName.test(name))
  const script = `${prepare(words)}\ngrep -l $a ${words} -- "$@" </dev/null`
  const end = await runGrep(search, names, script)
  const found = new Set(end.stdout.split("\n"))
  return batch.filter((name) => oddName.test(name) || found.has(name))
}

/** Files are told apart by their number: lines of grep begin with one too, but never with an "f". */
async function linesThatMatch(
  search: GrepSearch,
  names: readonly string[],
): Promise<{ readonly records: readonly LineRecord[]; readonly cut: boolean }> {
  const { query, context } = search
  const { records, cut } = await readLines(search, names, "-n")
  const isLong = ({ text }: LineRecord) => text.length > searchLimits.lineCharacters
  const long = new Set(records.filter(isLong).map(({ path }) => path))
  if (long.size === 0) return { records, cut }
  // Which part of a long line is shown depends on where it matches.
  const parts = await readLines(
    search,
    names.filter((name) => long.has(name.slice(2))),
    "-no",
  )
  const matched = new Map<string, string>()
  for (const { path, line, text } of parts.records.toReversed())
    matched.set(`${path}:${line}`, text)
  const dropped = records.filter(({ text }) => text.length > searchLimits.recordBytes).length
  if (dropped > 0) context.warn(`Lines too long to show were left out: ${dropped}.`)
  const kept = records.filter(({ text }) => text.length <= searchLimits.recordBytes)
  return {
    records: kept.map((record) => ({
      ...record,
      matched: matched.get(`${record.path}:${record.line}`) ?? (query.fixed ? query.pattern : ""),
    })),
    cut: cut || dropped > 0,
  }
}

/** A file with a NUL near its start is not text. */
const isBinary = `head -c ${searchLimits.recordBytes} <"$f" | od -An -v -tx1 | grep ' 00' >/dev/null`

async function readLines(search: GrepSearch, names: readonly string[], flag: "-n" | "-no") {
  const { words, query } = search
  const most = flag === "-n" ? query.limit + 1 : searchLimits.partsMost
  const script = `${prepare(words)}
i=0
for f in "$@"; do
  if ! { ${isBinary}; }; then echo "f$i"; grep ${flag} $a ${words} <"$f" | head -n ${most}; fi
  i=$((i+1))
done`
  const { stdout, cut } = await runGrep(search, names, script)
  const records: LineRecord[] = []
  let path = ""
  for (const line of stdout.split("\n")) {
    const [, file] = /^f(\d+)$/.exec(line) ?? []
    if (file !== undefined) path = (names[Number(file)] ?? "").slice(2)
    const [whole = "", number] = /^(\d+):/.exec(line) ?? []
    if (number === undefined) continue
    const text = line.slice(whole.length).replace(/\r$/, "")
    records.push({ kind: "match", path, line: Number(number), text, matched: "" })
  }
  return { records, cut }
}

async function runGrep(
  { workspace, query, context }: GrepSearch,
  names: readonly string[],
  script: string,
): Promise<PosixEnd> {
  if (names.length === 0) return { exitCode: 1, stdout: "", stderr: "", cut: false }
  const { directory } = query.scope
  const { signal } = context
  const end = await runPosix({ workspace, directory, script, names, signal })
  if (end.exitCode === badPattern) throw couldNotSearch(query, { ...end, exitCode: 2 })
  if (end.stderr.trim() !== "") {
    context.warn(`Some files could not be searched: ${complaint(end.stderr)}.`)
  }
  return end
}
