import type { CallContext, Workspace } from "../../../contract/index.ts"
import { above, type IgnoreLevel, IgnoreRules, parseIgnoreFile } from "./ignore-rules.ts"
import type { FileQuery, FoundFiles } from "./list-files.ts"
import { batchNames, runPosix } from "./posix-run.ts"
import { complaint, couldNotLook, withoutDot } from "./run-ripgrep.ts"

/** As `listFiles`, in a sandbox without ripgrep: by its find, with .gitignore and .ignore read here. */
export async function listByFind(
  workspace: Workspace,
  query: FileQuery,
  context: CallContext,
): Promise<FoundFiles> {
  const { directory, glob, limit } = query
  const { signal } = context
  const hidden = query.include_hidden || glob.namesHidden
  const visible = hidden ? "" : "-name '.?*' ! -name .gitignore ! -name .ignore -prune -o"
  const script = `exec find . -name .git -print0 -prune -o ${visible} -type f -print0`
  const { stdout, stderr, exitCode, cut } = await runPosix({ workspace, directory, script, signal })
  const found = stdout.split("\0").slice(0, -1).map(withoutDot)
  if (exitCode !== 0) {
    if (found.length === 0) throw couldNotLook(stderr)
    context.warn(`Some directories could not be read: ${complaint(stderr)}.`)
  }
  const files = found.filter((path) => nameOf(path) !== ".git" && glob.matches(path))
  const rules =
    query.include_ignored || files.length === 0
      ? null
      : await readRules(workspace, { directory, found, signal })
  const shown = files.filter((path) => !rules?.leavesOut(rootless(directory), path)).sort()
  return { files: shown.slice(0, limit), truncated: cut || shown.length > limit }
}

/** The root as "", so that what is in it is "/name" as elsewhere. */
function rootless(directory: string): string {
  return directory === "/" ? "" : directory
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

/** Says "f" and the content of a file, "d" of a directory, nothing of what is not there; each ended by a NUL. */
const readEach = `for f in "$@"; do
  if [ -f "$f" ]; then printf f; tr -d '\\000' <"$f"; elif [ -e "$f" ]; then printf d; fi
  printf '\\0'
done`

const nothing: IgnoreLevel = { isRepository: false, gitignore: [], ignore: [] }

/** What the directory, those above it and those below it say. */
async function readRules(
  workspace: Workspace,
  place: { readonly directory: string; readonly found: readonly string[]; signal: AbortSignal },
): Promise<IgnoreRules> {
  const { directory, found, signal } = place
  const base = rootless(directory)
  const names = [".git", ".gitignore", ".ignore"]
  const outer = above(`${base}/x`).flatMap((one) => names.map((name) => `${one}/${name}`))
  const inner = found
    .filter((path) => path.includes("/") && names.includes(nameOf(path)))
    .map((path) => `${base}/${path}`)
  const levels = new Map<string, IgnoreLevel>()
  for (const batch of batchNames([...outer, ...inner])) {
    const run = { workspace, directory, script: readEach, names: batch, signal }
    const records = (await runPosix(run)).stdout.split("\0")
    for (const [index, path] of batch.entries()) {
      const record = records[index] ?? ""
      const at = path.slice(0, path.lastIndexOf("/"))
      levels.set(at, withFile(levels.get(at) ?? nothing, nameOf(path), record))
    }
  }
  return new IgnoreRules(levels)
}

function withFile(level: IgnoreLevel, name: string, record: string): IgnoreLevel {
  if (record === "") return level
  if (name === ".git") return { ...level, isRepository: true }
  if (!record.startsWith("f")) return level
  const rules = parseIgnoreFile(record.slice(1))
  return name === ".ignore" ? { ...level, ignore: rules } : { ...level, gitignore: rules }
}
