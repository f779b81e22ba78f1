import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { PassThrough, pipeline, Readable, type Transform } from "node:stream"
import { finished } from "node:stream/promises"
import * as zlib from "node:zlib"
import { ToolFailure } from "../../../../contract/index.ts"

/** The bytes of a tar, whatever it is packed with. */
export interface OpenArchive {
  readonly stream: ReadableStream<Uint8Array>
  /** Rejects when the file could not be read to its end, or not unpacked. */
  readonly whole: Promise<void>
}

const starts: readonly (readonly [string, (file: string) => Transform])[] = [
  ["1f8b", () => zlib.createGunzip()],
  ["28b52ffd", unpackZstandard],
]

export async function openArchive(file: string): Promise<OpenArchive> {
  const start = await firstBytes(file)
  const [, unpack] = starts.find(([magic]) => start.startsWith(magic)) ?? []
  const bytes = unpack ? unpack(file) : new PassThrough()
  pipeline(createReadStream(file), bytes, () => {})
  const whole = finished(bytes)
  // Heard of by who waits for it, which may be later.
  whole.catch(() => {})
  return { stream: Readable.toWeb(bytes) as ReadableStream<Uint8Array>, whole }
}

async function firstBytes(file: string): Promise<string> {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
  return buffer.subarray(0, bytesRead).toString("hex")
}

/** Node has it since 22.15. */
function unpackZstandard(file: string): Transform {
  if ("createZstdDecompress" in zlib) return zlib.createZstdDecompress()
  throw new ToolFailure({
    kind: "unavailable",
    message: `${JSON.stringify(file)} is packed with zstd, which this version of Node can't unpack. Use Node 22.15 or later, or pack it with gzip.`,
    retryable: false,
  })
}
