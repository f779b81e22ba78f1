/** One entry of an archive, however hostile. */
export interface RawEntry {
  readonly name: string
  readonly content?: string | Uint8Array
  readonly type?: string
  readonly link?: string
}

/** A tar whose entries have the names and contents that are given, written byte by byte. */
export function rawTar(entries: readonly RawEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(rawEntry), Buffer.alloc(1024)])
}

function rawEntry({ name, content = "", type = "0", link = "" }: RawEntry): Buffer[] {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(512)
  const octal = (value: number, at: number, width: number) =>
    header.write(value.toString(8).padStart(width, "0"), at)
  header.write(name, 0)
  octal(0o644, 100, 7)
  octal(bytes.length, 124, 11)
  header.write("        ", 148)
  header.write(type, 156)
  header.write(link, 157)
  header.write("ustar\u000000", 257)
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  )
  const padding = Buffer.alloc(Math.ceil(bytes.length / 512) * 512 - bytes.length)
  return [header, bytes, padding]
}
