import { isObject } from "../../../contract/index.ts"
import { withoutDot } from "./list-files.ts"

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

const decoder = new TextDecoder()

/** Builds of ripgrep differ in what they say, so nothing but what is there is relied on. */
export function readSearchRecord(bytes: Uint8Array): SearchRecord {
  const record = parse(decoder.decode(bytes))
  if (!isObject(record) || !isObject(record.data)) return { kind: "other" }
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Text that is not UTF-8 comes as base64. */
function textOf(value: unknown): string | null {
  if (!isObject(value)) return null
  if (typeof value.text === "string") return value.text
  if (typeof value.bytes !== "string") return null
  return decoder.decode(Buffer.from(value.bytes, "base64"))
}

function firstMatch(submatches: unknown): string {
  const [first] = Array.isArray(submatches) ? submatches : []
  return isObject(first) ? (textOf(first.match) ?? "") : ""
}
