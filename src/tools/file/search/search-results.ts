import type { LineRecord, SearchRecord } from "./search-record.ts"

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
