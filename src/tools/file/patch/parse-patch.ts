import {
  belongsTo,
  changeNames,
  type FilePatch,
  type Hunk,
  type HunkLine,
  PatchFault,
  type PatchHeader,
  readFileHeader,
  readGitHeader,
  unquote,
} from "./patch-names.ts"

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/** Reads a unified diff over any number of files. Throws a PatchFault for what is none. */
export function parsePatch(text: string): readonly FilePatch[] {
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  const files: FilePatch[] = []
  let at = 0
  while (at < lines.length) {
    const header: PatchHeader = {}
    const start = at
    at = readHeader(lines, at, header)
    const hunks: Hunk[] = []
    while (at < lines.length && lines[at]?.startsWith("@@")) {
      const read = readHunk(lines, at)
      hunks.push(read.hunk)
      at = read.next
    }
    if (Object.keys(header).length === 0 && hunks.length === 0) break
    files.push({ ...changeNames(header, hunks.length, start + 1), hunks })
  }
  return files
}

/** Up to the first hunk, or to the next file where this one has none. Prose between files is passed over. */
function readHeader(lines: readonly string[], from: number, header: PatchHeader): number {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at]?.replace(/\r$/, "") ?? ""
    if (line.startsWith("@@")) return at
    if (line.startsWith("diff --git ")) {
      if (Object.keys(header).length > 0) return at
      header.fromGit = readGitHeader(line)
    } else if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
      const names = readFileHeader(line, lines[at + 1]?.replace(/\r$/, "") ?? "")
      if (!belongsTo(names, header)) return at
      // A rename's own lines have the names without prefixes, so they are the clearer ones.
      if (!header.renamed && !header.copied) Object.assign(header, names)
      header.isNamed = true
      at += 1
    } else readExtended(line, header)
  }
  return lines.length
}

function readExtended(line: string, header: PatchHeader): void {
  if (!("fromGit" in header)) return
  if (line.startsWith("rename from ") || line.startsWith("rename to ")) header.renamed = true
  if (line.startsWith("copy from ") || line.startsWith("copy to ")) header.copied = true
  if (line.startsWith("new file mode")) header.added = true
  if (line.startsWith("deleted file mode")) header.deleted = true
  if (line.startsWith("GIT binary patch") || line.startsWith("Binary files ")) header.binary = true
  readMode(line, header)
  const [, end, name] = /^(?:rename|copy) (from|to) (.*)$/.exec(line) ?? []
  if (end === "from" && name !== undefined) header.from = unquote(name)
  if (end === "to" && name !== undefined) header.to = unquote(name)
}

/** "old mode 100644", "new file mode 120000", and "index 1234567..89abcde 100644" where it stays. */
function readMode(line: string, header: PatchHeader): void {
  const [, when, mode] = /^(old|new|new file|deleted file) mode (\d{3,6})$/.exec(line) ?? []
  if (mode !== undefined) {
    if (when === "old" || when === "deleted file") header.oldMode = Number.parseInt(mode, 8)
    else header.newMode = Number.parseInt(mode, 8)
  }
  const [, same] = /^index [0-9a-f]+\.\.[0-9a-f]+ (\d{6})$/.exec(line) ?? []
  if (same === undefined) return
  header.oldMode ??= Number.parseInt(same, 8)
  header.newMode ??= Number.parseInt(same, 8)
}

function readHunk(
  lines: readonly string[],
  at: number,
): { readonly hunk: Hunk; readonly next: number } {
  const found = hunkHeader.exec(lines[at] ?? "")
  if (!found) {
    throw new PatchFault(
      `Line ${at + 1} of the patch starts a hunk, but not as in "@@ -12,3 +12,4 @@".`,
    )
  }
  const [header, start, old = "1", , added = "1"] = found
  const wanted = { old: Number(old), new: Number(added) }
  const body: HunkLine[] = []
  let next = at + 1
  for (; next < lines.length && (wanted.old > 0 || wanted.new > 0); next += 1) {
    const line = readHunkLine(lines[next] ?? "")
    if (line === "no-newline") dropLineEnd(body)
    else if (line === null) break
    else {
      body.push(line)
      if (line.sign !== "+") wanted.old -= 1
      if (line.sign !== "-") wanted.new -= 1
    }
  }
  if (lines[next]?.startsWith("\\")) {
    dropLineEnd(body)
    next += 1
  }
  if (wanted.old !== 0 || wanted.new !== 0 || goesOn(lines, next)) {
    throw miscounted(lines, { at, header })
  }
  // A hunk without old lines stands after the line that it names.
  const first = Number(start) + (Number(old) === 0 ? 1 : 0)
  return { hunk: { header, start: Math.max(1, first), lines: body }, next }
}

function readHunkLine(line: string): HunkLine | "no-newline" | null {
  const sign = line.charAt(0)
  if (sign === " " || sign === "-" || sign === "+") return { sign, text: `${line.slice(1)}\n` }
  if (sign === "\\") return "no-newline"
  // A trimmed line with only a space is empty.
  return line === "" || line === "\r" ? { sign: " ", text: `${line}\n` } : null
}

function dropLineEnd(body: HunkLine[]): void {
  const last = body.pop()
  if (last) body.push({ sign: last.sign, text: last.text.replace(/\n$/, "") })
}

/** Whether there is another line of a hunk's body where the hunk should be over. */
function goesOn(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ""
  const isHeader = line.startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ ")
  // A mail's signature starts with two dashes and a space.
  return /^[ +-]/.test(line) && !isHeader && !/^-- ?\r?$/.test(line)
}

function miscounted(
  lines: readonly string[],
  hunk: { readonly at: number; readonly header: string },
): PatchFault {
  let [old, added] = [0, 0]
  for (let at = hunk.at + 1; goesOn(lines, at) || isGap(lines, at); at += 1) {
    const sign = lines[at]?.charAt(0)
    if (sign !== "+") old += 1
    if (sign !== "-") added += 1
  }
  return new PatchFault(
    `The hunk at line ${hunk.at + 1} of the patch, ${hunk.header}, has other numbers of lines than it says: it looks like ${old} before and ${added} after.`,
  )
}

function isGap(lines: readonly string[], at: number): boolean {
  return lines[at] === "" && goesOn(lines, at + 1)
}
