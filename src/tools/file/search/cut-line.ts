import { limits } from "../../../contract/index.ts"

/** A long line keeps the part around what matched; what is left out shows as "[...]". */
export function cutLine(line: string, matched = ""): string {
  const most = limits.search.lineCharacters
  if (line.length <= most) return line
  const found = Math.max(0, line.indexOf(matched))
  const start = Math.min(Math.max(0, found - Math.floor(most / 4)), line.length - most)
  const end = start + most
  // A cut through a surrogate pair leaves no half of it behind.
  const part = line.slice(start, end).replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "")
  return `${start > 0 ? "[...] " : ""}${part}${end < line.length ? " [...]" : ""}`
}
