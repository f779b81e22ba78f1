import type { Unknown } from "../../contract/index.ts"
import { unifiedDiff } from "../../node/index.ts"
import type { RecordReader } from "../../store/index.ts"
import type { StoredText } from "../effects/recorded-effects.ts"
import type { NetChange } from "./join-changes.ts"
import { changesLimits } from "./limits.ts"

/** A unified diff, empty for the same text; or why there is none. */
export type ChangeDiff = { readonly diff: string } | Unknown

/** Makes the diffs of one answer, as far as its size and time go. */
export function createDiffs(texts: (hash: string) => Promise<string | null>) {
  let characters = 0
  let milliseconds = 0

  async function compare(change: NetChange): Promise<ChangeDiff> {
    const { path } = change
    const [before, after] = [await textOf(change.before), await textOf(change.after)]
    if (typeof before === "object") return before
    if (typeof after === "object") return after
    if (change.change === "created") return { diff: wholeFile(path, after, "+") }
    if (change.change === "removed") return { diff: wholeFile(path, before, "-") }
    if (before === after) return { diff: "" }
    const { lines, changedLines, diffMs } = changesLimits
    const bounds = { lines, changedLines, milliseconds: diffMs }
    const diff = await unifiedDiff({ path, before, after }, bounds)
    return diff === null ? { unknown: "the texts differ too much to be compared" } : { diff }
  }
  /** Empty where there is no file. */
  async function textOf(stored: StoredText | Unknown | undefined): Promise<string | Unknown> {
    if (!stored) return ""
    if ("unknown" in stored) return stored
    return (await texts(stored.hash)) ?? { unknown: "its text is not in the record" }
  }

  return async (change: NetChange): Promise<ChangeDiff> => {
    if (change.type !== "file") return { unknown: `it is a ${change.type}` }
    const isFull = characters > changesLimits.diffCharactersMost
    if (isFull || milliseconds > changesLimits.diffMsMost) {
      return { unknown: "there are too many changes for one answer; look at single calls" }
    }
    const startedMs = performance.now()
    const made = await compare(change)
    milliseconds += performance.now() - startedMs
    if ("unknown" in made) return made
    if (made.diff.length > changesLimits.diffCharacters) return { unknown: "the diff is too long" }
    characters += made.diff.length
    return made
  }
}

/** Each line of a file as one that was added, or removed. */
function wholeFile(path: string, text: string, sign: "+" | "-"): string {
  if (text === "") return ""
  const isEnded = text.endsWith("\n")
  const lines = (isEnded ? text.slice(0, -1) : text).split("\n")
  const range = `1,${lines.length}`
  const name = nameInDiff(path)
  const heads =
    sign === "+"
      ? ["--- /dev/null", `+++ ${name}`, `@@ -0,0 +${range} @@`]
      : [`--- ${name}`, "+++ /dev/null", `@@ -${range} +0,0 @@`]
  const end = isEnded ? [] : ["\\ No newline at end of file"]
  return `${[...heads, ...lines.map((line) => `${sign}${line}`), ...end].join("\n")}\n`
}

/** As a diff names it: a path with line breaks would look like lines of the diff. */
function nameInDiff(path: string): string {
  return /\p{Cc}/u.test(path) ? JSON.stringify(path) : path
}

/** Looks into several sessions: a task has its own. */
export function textsIn(readers: readonly RecordReader[]) {
  return async (hash: string): Promise<string | null> => {
    for (const reader of readers) {
      const text = await reader.text(hash)
      if (text !== null) return text
    }
    return null
  }
}
