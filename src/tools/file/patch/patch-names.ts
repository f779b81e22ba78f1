const nowhere = "/dev/null"

/** The two names of "diff --git a/x b/x"; undefined where they can't be told apart. */
export function readGitHeader(
  line: string,
): { readonly from: string; readonly to: string } | undefined {
  const rest = line.slice("diff --git ".length)
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(rest)
  if (quoted) return { from: unquote(quoted[1] ?? ""), to: unquote(quoted[2] ?? "") }
  // With spaces in it, only a name that stays the same can be told: both halves are as long.
  const middle = (rest.length - 1) / 2
  const [from, to] = [rest.slice(0, middle), rest.slice(middle + 1)]
  const isSame = from.replace(/^a\//, "") === to.replace(/^b\//, "")
  return Number.isInteger(middle) && isSame ? { from, to } : undefined
}

export interface FileNames {
  readonly from: string | null
  readonly to: string | null
}

/** The names of a "---" line and the "+++" line after it, times left out. */
export function readFileHeader(before: string, after: string): FileNames {
  const [from, to] = [nameIn(before), nameIn(after)]
  return { from: from === nowhere ? null : from, to: to === nowhere ? null : to }
}

/** Whether these lines go on with the file whose header was begun, and don't start another one. */
export function belongsTo({ from, to }: FileNames, header: PatchHeader): boolean {
  if (header.isNamed) return false
  const { fromGit } = header
  return !fromGit || ((from ?? fromGit.from) === fromGit.from && (to ?? fromGit.to) === fromGit.to)
}

function nameIn(line: string): string {
  const rest = line.slice(4)
  if (rest.startsWith('"')) return unquote(/^"(?:[^"\\]|\\.)*"/.exec(rest)?.[0] ?? rest)
  // A tab ends a name, also one that ends with a space.
  return rest.includes("\t") ? (rest.split("\t")[0] ?? "") : rest.trimEnd()
}

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
}

/** git's way of writing odd names: in quotes, bytes in octal. */
export function unquote(name: string): string {
  if (!/^".*"$/.test(name)) return name
  const bytes: Uint8Array[] = []
  for (const [part] of name.slice(1, -1).matchAll(/\\[0-3][0-7]{2}|\\.|[^\\]+/g)) {
    const escaped = part.startsWith("\\") ? part.slice(1) : ""
    if (/^[0-7]{3}$/.test(escaped)) bytes.push(Uint8Array.of(Number.parseInt(escaped, 8)))
    else bytes.push(Buffer.from(escaped === "" ? part : (escapes[escaped] ?? escaped)))
  }
  return Buffer.concat(bytes).toString()
}

/** What happens to which file, from all that its header says. */
export function changeNames(
  header: PatchHeader,
  hunkCount: number,
  line: number,
): Omit<FilePatch, "hunks"> {
  const { from, to } = namesOf(header, line)
  if (header.binary) {
    throw new PatchFault(`The patch changes ${JSON.stringify(to ?? from)} as binary, not as text.`)
  }
  const kinds = kindsOf(header, to ?? from ?? "")
  if (header.added || from === null) return { change: "added", from: null, to, ...kinds }
  if (header.deleted || to === null) return { change: "deleted", from, to: null, ...kinds }
  if (header.copied) return { change: "added", from, to, ...kinds, ...unsaid(header) }
  if (header.renamed && from !== to) {
    return { change: "renamed", from, to, ...kinds, ...unsaid(header) }
  }
  if (from !== to) {
    throw new PatchFault(
      `The patch calls a file ${JSON.stringify(from)} before and ${JSON.stringify(to)} after; a rename needs lines "rename from" and "rename to".`,
    )
  }
  if (hunkCount === 0 && header.oldMode === header.newMode) {
    throw new PatchFault(`The patch has no hunk for ${JSON.stringify(from)}, so nothing changes.`)
  }
  return { change: "modified", from, to, ...kinds }
}

type Kinds = Pick<FilePatch, "mode" | "wasLink" | "isLink">

const [fileType, linkType] = [0o100_000, 0o120_000]

/** What the modes of a header say: git knows files, files that can be run, and links. */
function kindsOf({ oldMode, newMode }: PatchHeader, name: string): Kinds {
  for (const mode of [oldMode, newMode]) {
    const type = (mode ?? fileType) & 0o170_000
    if (type !== fileType && type !== linkType && type !== 0) {
      throw new PatchFault(
        `The patch changes ${JSON.stringify(name)}, which is neither a file nor a link: its mode is ${mode?.toString(8)}.`,
      )
    }
  }
  const isLink = (mode: number | undefined) => ((mode ?? fileType) & 0o170_000) === linkType
  const isSaid = newMode !== undefined && newMode !== oldMode && !isLink(newMode)
  return {
    mode: isSaid ? newMode & 0o777 : null,
    wasLink: isLink(oldMode),
    isLink: isLink(newMode),
  }
}

/** A file that only moves has no mode in its header: then it is whatever is there. */
function unsaid({ oldMode, newMode }: PatchHeader): Partial<Kinds> {
  return oldMode === undefined && newMode === undefined ? { wasLink: null, isLink: null } : {}
}

function namesOf(header: PatchHeader, line: number): FileNames {
  const named = header.from !== undefined && header.to !== undefined
  const { from, to } = named ? header : (header.fromGit ?? {})
  if (from === undefined || to === undefined || (from === null && to === null)) {
    throw new PatchFault(
      `Around line ${line} the patch does not say which file it changes, with lines such as "--- a/src/main.ts" and "+++ b/src/main.ts".`,
    )
  }
  return header.renamed || header.copied ? { from, to } : withoutPrefixes(from, to)
}

/** "a/" and "b/" go where both names have theirs; a name in a directory "a" keeps it. */
function withoutPrefixes(from: string | null, to: string | null) {
  const isPrefixed = (from ?? "a/").startsWith("a/") && (to ?? "b/").startsWith("b/")
  if (!isPrefixed) return { from, to }
  return { from: from?.slice(2) ?? null, to: to?.slice(2) ?? null }
}

/** One file's part of a unified diff. */
export interface FilePatch {
  readonly change: PatchChange
  /** What it is called before, as the patch says it; null for a file that is added. */
  readonly from: string | null
  /** What it is called after; null for a file that is deleted. */
  readonly to: string | null
  /** Permission bits of a file that is added or gets others, where the patch says so. */
  readonly mode: number | null
  /** Whether it is a link before and after; null where the patch does not say. */
  readonly wasLink: boolean | null
  readonly isLink: boolean | null
  readonly hunks: readonly Hunk[]
}

export type PatchChange = "added" | "modified" | "deleted" | "renamed"

export interface Hunk {
  /** As the patch has it, for messages: "@@ -1,3 +1,4 @@". */
  readonly header: string
  /** Where it starts in the file before; the first line is 1. */
  readonly start: number
  readonly lines: readonly HunkLine[]
}

export interface HunkLine {
  readonly sign: " " | "-" | "+"
  /** With its line end, where it has one. */
  readonly text: string
}

/** What stands between two files' hunks, as far as it was read. */
export interface PatchHeader {
  from?: string | null
  to?: string | null
  /** Its "---" and "+++" lines were read. */
  isNamed?: boolean
  fromGit?: { readonly from: string; readonly to: string } | undefined
  renamed?: boolean
  copied?: boolean
  added?: boolean
  deleted?: boolean
  /** With the type of the file, such as 0o120777. */
  oldMode?: number
  newMode?: number
  binary?: boolean
}

/** A patch that can't be read, with the line that shows it. */
export class PatchFault extends Error {}
