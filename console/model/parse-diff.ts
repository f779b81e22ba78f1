/** A line of a unified diff, with its numbers before and after. */
export interface DiffLine {
  readonly kind: "file" | "hunk" | "added" | "removed" | "same" | "note"
  readonly text: string
  readonly before: number | null
  readonly after: number | null
}

const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** The lines of a unified diff. What is none is shown as it is. */
export function parseDiff(diff: string): readonly DiffLine[] {
  let before = 0
  let after = 0
  let isInHunk = false
  const lines = diff.replace(/\n$/, "").split("\n")
  return lines.map((line): DiffLine => {
    const head = hunkHead.exec(line)
    if (head) {
      before = Number(head[1])
      after = Number(head[2])
      isInHunk = true
      return { kind: "hunk", text: line, before: null, after: null }
    }
    const none = { text: line, before: null, after: null }
    // Within a hunk, a removed line may begin with two more dashes.
    if (!isInHunk || line.startsWith("diff --git ")) {
      isInHunk = false
      return { ...none, kind: /^(?:---|\+\+\+|diff |Index: |=====)/.test(line) ? "file" : "note" }
    }
    if (line.startsWith("+")) return { kind: "added", text: line, before: null, after: after++ }
    if (line.startsWith("-")) return { kind: "removed", text: line, before: before++, after: null }
    if (line.startsWith("\\")) return { ...none, kind: "note" }
    return { kind: "same", text: line, before: before++, after: after++ }
  })
}

export interface DiffCount {
  readonly added: number
  readonly removed: number
}

export function countDiff(lines: readonly DiffLine[]): DiffCount {
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length
  return { added: count("added"), removed: count("removed") }
}
