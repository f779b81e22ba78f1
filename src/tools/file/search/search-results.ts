import { isObject, parseObject } from "../../../contract/index.ts"
import { withoutDot } from "./run-ripgrep.ts"

/** What was found in one file: its lines by number, and which of them match. */
export interface FileMatches {
  readonly path: string
  readonly lines: Map<number, string>
  readonly matches: LineRecord[]
}

/** Gathers a search's records until there are enough, with the lines around the last match. */
export class SearchResults {
  readonly #limit: number
  readonly #contextLines: number
  readonly #files = new Map<string, FileMatches>()
  #count = 0
  #last: LineRecord | null = null
  /** Whether any record came at all: without one, the search did not run. */
  ran = false
  hasContext = false

  constructor(limit: number, contextLines: number) {
    this.#limit = limit
    this.#contextLines = contextLines
  }

  get truncated(): boolean {
    return this.#count > this.#limit
  }

  add(record: SearchRecord): "more" | "enough" {
    this.ran = true
    switch (record.kind) {
      case "match":
      case "context":
        this.#addLine(record)
        break
      case "file-end":
        if (record.binary) this.#forget(record.path)
        break
      case "other":
        break
      default:
        return record satisfies never
    }
    return this.truncated && this.#isBeyond(record) ? "enough" : "more"
  }

  /** Sorted by path, at most `limit` matches in all. */
  files(): readonly FileMatches[] {
    let left = this.#limit
    const sorted = [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
    return sorted
      .map((file) => {
        const matches = file.matches.slice(0, left)
        left -= matches.length
        return { ...file, matches }
      })
      .filter((file) => file.matches.length > 0)
  }

  #addLine(record: LineRecord): void {
    const file: FileMatches = this.#files.get(record.path) ?? {
      path: record.path,
      lines: new Map(),
      matches: [],
    }
    this.#files.set(record.path, file)
    file.lines.set(record.line, record.text)
    if (record.kind === "context") {
      this.hasContext = true
      return
    }
    file.matches.push(record)
    this.#count += 1
    if (this.#count === this.#limit) this.#last = record
  }

  /** Past the lines that belong to the last match that is shown. */
  #isBeyond(record: SearchRecord): boolean {
    if (!this.#last || record.kind === "other" || record.kind === "file-end") return true
    return record.path !== this.#last.path || record.line >= this.#last.line + this.#contextLines
  }

  #forget(path: string): void {
    this.#count -= this.#files.get(path)?.matches.length ?? 0
    this.#files.delete(path)
  }
}

/** A line of what `rg --json` says, as far as a search needs it. */
export type SearchRecord =
  | LineRecord
  | { readonly kind: "file-end"; readonly path: string; readonly binary: boolean }
  | { readonly kind: "other" }

export interface LineRecord {
  readonly kind: "match" | "context"
  readonly path: string
  readonly line: number
  /** Without its line end. */
  readonly text: string
  /** What matched first on the line. */
  readonly matched: string
}

/** Builds of ripgrep differ in what they say, so nothing but what is there is relied on. */
export function readSearchRecord(line: string): SearchRecord {
  const record = parseObject(line)
  if (!record || !isObject(record.data)) return { kind: "other" }
  const { type, data } = record
  const path = withoutDot(textOf(data.path) ?? "")
  if (path === "") return { kind: "other" }
  if (type === "end") {
    return { kind: "file-end", path, binary: typeof data.binary_offset === "number" }
  }
  const text = textOf(data.lines)
  if ((type !== "match" && type !== "context") || text === null) return { kind: "other" }
  if (typeof data.line_number !== "number") return { kind: "other" }
  return {
    kind: type,
    path,
    line: data.line_number,
    text: text.replace(/\r?\n$/, ""),
    matched: firstMatch(data.submatches),
  }
}

/** Text that is not UTF-8 comes as base64. */
function textOf(value: unknown): string | null {
  if (!isObject(value)) return null
  if (typeof value.text === "string") return value.text
  if (typeof value.bytes !== "string") return null
  return Buffer.from(value.bytes, "base64").toString()
}

function firstMatch(submatches: unknown): string {
  const [first] = Array.isArray(submatches) ? submatches : []
  return isObject(first) ? (textOf(first.match) ?? "") : ""
}
