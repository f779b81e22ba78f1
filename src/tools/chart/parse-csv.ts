/** Lines of cells. Quotes as in RFC 4180; the separator is what the first line has most of. */
export function parseCsv(text: string, mostLines: number): string[][] {
  const source = text.startsWith("\ufeff") ? text.slice(1) : text
  const separator = separatorOf(source.slice(0, source.search(/[\r\n]|$/)))
  const lines: string[][] = []
  let line: string[] = []
  let at = 0
  while (at < source.length && lines.length < mostLines) {
    const cell = readCell(source, at, separator)
    line.push(cell.text)
    at = cell.end
    if (source[at] === separator) {
      at += 1
      if (at < source.length) continue
      line.push("")
    }
    at += source.startsWith("\r\n", at) ? 2 : 1
    if (line.length > 1 || line[0] !== "") lines.push(line)
    line = []
  }
  return lines
}

function separatorOf(header: string): string {
  const count = (separator: string) => header.split(separator).length
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best))
}

function readCell(source: string, start: number, separator: string) {
  let text = ""
  let at = start
  if (source[at] === '"') {
    at += 1
    for (;;) {
      const quote = source.indexOf('"', at)
      // A quote that is never closed reaches to the end.
      if (quote < 0) return { text: text + source.slice(at), end: source.length }
      text += source.slice(at, quote)
      at = quote + 1
      if (source[at] !== '"') break
      text += '"'
      at += 1
    }
  }
  // What follows a closing quote within the cell belongs to it all the same.
  const rest = at
  while (at < source.length && source[at] !== separator && !isLineEnd(source[at])) at += 1
  return { text: text + source.slice(rest, at), end: at }
}

function isLineEnd(character: string | undefined): boolean {
  return character === "\n" || character === "\r"
}
