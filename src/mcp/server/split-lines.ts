/** Puts lines together out of pieces; of one that is too long nothing is kept, and it is null. */
export function splitLines(most: number): (piece: Buffer) => (string | null)[] {
  let parts: Buffer[] = []
  let size = 0
  const take = (part: Buffer) => {
    size += part.length
    if (size <= most) parts.push(part)
    else parts = []
  }
  const finish = () => {
    const line = size <= most ? Buffer.concat(parts).toString("utf8") : null
    parts = []
    size = 0
    return line
  }
  return (piece) => {
    const lines: (string | null)[] = []
    let start = 0
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, start)) {
      take(piece.subarray(start, end))
      lines.push(finish())
      start = end + 1
    }
    take(piece.subarray(start))
    return lines
  }
}
