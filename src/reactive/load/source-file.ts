import type { SourceProblem } from "./source-problem.ts"

type Span = readonly [start: number, end: number]

const before = "()=>("
const after = ")"

/** How many lines of a file an error shows before and after its own. */
const linesAround = 2

/** A file as it was written, and as it is with functions for some of its expressions: on the same lines. */
export class SourceFile {
  readonly path: string
  readonly text: string
  /** Where something is inserted, in the order of the file. */
  readonly #inserted: readonly { readonly at: number; readonly text: string }[]

  constructor(path: string, text: string, spans: readonly Span[]) {
    this.path = path
    this.text = text
    this.#inserted = spans
      .flatMap(([start, end]) => [
        { at: start, text: before, rank: 1 },
        { at: end, text: after, rank: 0 },
      ])
      .sort((one, other) => one.at - other.at || one.rank - other.rank)
  }

  withFunctions(): string {
    let from = 0
    let text = ""
    for (const { at, text: inserted } of this.#inserted) {
      text += this.text.slice(from, at) + inserted
      from = at
    }
    return text + this.text.slice(from)
  }

  /** The place of a character of the file, as it was written. */
  placeOf(offset: number): Omit<SourceProblem, "message"> {
    const start = this.text.lastIndexOf("\n", offset - 1) + 1
    const line = this.text.slice(0, start).split("\n").length
    return this.#place(line, offset - start + 1)
  }

  /** The place of a line and a column in the text with functions, as stack traces name them. */
  placeIn(line: number, column: number): Omit<SourceProblem, "message"> {
    const start = this.text
      .split("\n")
      .slice(0, line - 1)
      .reduce((sum, one) => sum + one.length + 1, 0)
    let written = start
    let shown = 1
    for (const { at, text } of this.#inserted) {
      if (at < start) continue
      const upTo = shown + (at - written)
      if (upTo + text.length > column) break
      shown = upTo + text.length
      written = at
    }
    return this.#place(line, written - start + 1 + Math.max(0, column - shown))
  }

  #place(line: number, column: number): Omit<SourceProblem, "message"> {
    return { file: this.path, line, column, frame: this.#frame(line, column) }
  }

  #frame(line: number, column: number): string {
    const lines = this.text.split("\n")
    const first = Math.max(1, line - linesAround)
    const last = Math.min(lines.length, line + linesAround)
    const width = String(last).length
    const shown: string[] = []
    for (let number = first; number <= last; number += 1) {
      const text = lines[number - 1] ?? ""
      const mark = number === line ? ">" : " "
      shown.push(`${mark} ${String(number).padStart(width)} | ${text}`.trimEnd())
      if (number === line) {
        // Tabs stay tabs, so that the mark is below its character.
        const blank = text.slice(0, column - 1).replaceAll(/[^\t]/g, " ")
        shown.push(`  ${" ".repeat(width)} | ${blank}^`)
      }
    }
    return shown.join("\n")
  }
}
