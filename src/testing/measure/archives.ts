/** One entry of an archive that is written by hand, because no good program would write it. */
export interface TarEntry {
  readonly name: string
  readonly kind: "file" | "directory" | "symlink" | "hardlink"
  readonly content?: string
  /** Where a link leads. */
  readonly to?: string
}

const blockBytes = 512
const typeFlags = { file: "0", hardlink: "1", symlink: "2", directory: "5" } as const
const encoder = new TextEncoder()

/** A whole archive: the entries as they are, and two empty blocks as its end. */
export function tarArchive(entries: readonly TarEntry[]): Uint8Array {
  return Buffer.concat([...entries.map(entryBlocks), new Uint8Array(2 * blockBytes)])
}

function entryBlocks(entry: TarEntry): Uint8Array {
  const content = encoder.encode(entry.content ?? "")
  const padding = (blockBytes - (content.length % blockBytes)) % blockBytes
  return Buffer.concat([header(entry, content.length), content, new Uint8Array(padding)])
}

function header({ name, kind, to = "" }: TarEntry, size: number): Uint8Array {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0")
  const fields: readonly (readonly [number, string])[] = [
    [0, name],
    [100, octal(kind === "directory" ? 0o755 : 0o644, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(size, 11)],
    [136, octal(1_700_000_000, 11)],
    // While the sum is made its own field is spaces.
    [148, " ".repeat(8)],
    [156, typeFlags[kind]],
    [157, to],
    [257, "ustar\0" + "00"],
  ]
  for (const [offset, text] of fields) block.write(text, offset, "latin1")
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)}\0 `, 148, "latin1")
  return block
}

const chunkBytes = 10_000

/** The bytes as a stream, in pieces that fit no block of anything. */
export function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let offset = 0
  return new ReadableStream({
    pull(controller) {
      if (offset >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(offset, offset + chunkBytes))
      offset += chunkBytes
    },
  })
}

/** The bytes, and then what `after` does to who waits for more. */
export function streamThen(
  bytes: Uint8Array,
  after: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
): ReadableStream<Uint8Array> {
  let isSent = false
  return new ReadableStream({
    pull(controller) {
      if (isSent) return after(controller)
      isSent = true
      controller.enqueue(bytes.slice())
    },
  })
}

export async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
