import { ToolFailure } from "../../contract/index.ts"

/** One part of a multipart body. Its bytes are gone when the next part is read. */
export interface Part {
  readonly name: string
  /** Of a file, as it was sent: it may be a path. */
  readonly filename: string | null
  readonly body: AsyncIterable<Uint8Array>
}

/** The head of a part, and what stands before the first one. */
const headBytes = 16 * 1024

/** The parts of a multipart/form-data body, as they come: nothing is held but what is being looked at. */
export async function* readParts(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
): AsyncIterable<Part> {
  const [, quoted, plain] = /boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined || !/^multipart\/form-data\b/i.test(contentType)) {
    throw badRequest("The body has to be multipart/form-data.")
  }
  const source = createSource(body)
  try {
    // So that the first boundary looks like the others.
    source.unread(Buffer.from("\r\n"))
    const delimiter = Buffer.from(`\r\n--${boundary}`)
    await source.readTo(delimiter, headBytes)
    while ((await source.take(2)) === "\r\n") {
      // A head without lines ends at once.
      source.unread(Buffer.from("\r\n"))
      const head = (await source.readTo(Buffer.from("\r\n\r\n"), headBytes)).toString("utf8")
      const name = /^content-disposition:.*?;\s*name="([^"]*)"/im.exec(head)?.[1]
      if (name === undefined) throw badRequest("A part of the body has no name.")
      const pieces = source.piecesTo(delimiter)
      const part = { [Symbol.asyncIterator]: () => ({ next: () => pieces.next() }) }
      yield { name, filename: filenameOf(head), body: part }
      // What nobody wanted of it comes before the next one.
      for await (const _ of pieces);
    }
  } finally {
    await source.close()
  }
}

/** Browsers and fetch escape three characters in it. */
function filenameOf(head: string): string | null {
  const name = /^content-disposition:[^\r\n]*;\s*filename="([^"\r\n]*)"/im.exec(head)?.[1]
  if (name === undefined) return null
  return name.replaceAll("%22", '"').replaceAll(/%0D/gi, "\r").replaceAll(/%0A/gi, "\n")
}

function badRequest(message: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message })
}

function createSource(body: AsyncIterable<Uint8Array>) {
  const reader = body[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const more = async () => {
    const { done, value } = await reader.next()
    if (done) throw badRequest("The body breaks off before its end.")
    held = held.length === 0 ? Buffer.from(value) : Buffer.concat([held, value])
  }
  return {
    unread(bytes: Buffer): void {
      held = Buffer.concat([bytes, held])
    },
    async take(length: number): Promise<string> {
      while (held.length < length) await more()
      const taken = held.subarray(0, length).toString("latin1")
      held = held.subarray(length)
      return taken
    },
    /** What stands before a delimiter, which is taken too. */
    async readTo(delimiter: Buffer, most: number): Promise<Buffer> {
      for (;;) {
        const at = held.indexOf(delimiter)
        if (at >= 0) {
          const before = held.subarray(0, at)
          held = held.subarray(at + delimiter.length)
          return before
        }
        if (held.length > most) throw badRequest("The head of a part is too long.")
        await more()
      }
    },
    /** The same, piece by piece. */
    async *piecesTo(delimiter: Buffer): AsyncGenerator<Uint8Array, undefined> {
      for (;;) {
        const at = held.indexOf(delimiter)
        if (at >= 0) {
          const last = held.subarray(0, at)
          held = held.subarray(at + delimiter.length)
          if (last.length > 0) yield last
          return
        }
        // The delimiter may have begun.
        const safe = held.length - delimiter.length + 1
        if (safe > 0) {
          const piece = held.subarray(0, safe)
          held = held.subarray(safe)
          yield piece
        }
        await more()
      }
    },
    close: async () => void (await reader.return?.().catch(() => {})),
  }
}

/** A part that is held as a whole. */
export async function readPart({ body }: Part, most: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > most) throw badRequest(`A part of the body is larger than ${most} bytes.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}
