import { createHash } from "node:crypto"
import { type BigIntStats, createReadStream, fstatSync, readSync } from "node:fs"
import { PassThrough, pipeline, Readable, Transform } from "node:stream"
import { finished } from "node:stream/promises"
import * as zlib from "node:zlib"
import { permanentFailure } from "../../../host/unsupported.ts"
import { sandboxImageLimits } from "../../../limits.ts"
import type { HeldPath } from "../../../paths/walk-inside.ts"

/** The bytes of a tar, whatever it is packed with. */
export interface OpenArchive {
  readonly stream: ReadableStream<Uint8Array>
  /** Rejects when the file could not be read to its end, not unpacked, or is not what it should be. */
  readonly whole: Promise<void>
  /** Closes the file, read or not. */
  close(): void
}

/** An open file of an image. */
export interface ArchiveFile extends HeldPath {
  /** For messages. */
  readonly name: string
  /** What its bytes have to hash to, such as "sha256:0123…"; null when nothing says. */
  readonly digest: string | null
}

const starts: readonly (readonly [string, (name: string) => Transform])[] = [
  ["1f8b", () => zlib.createGunzip()],
  ["28b52ffd", unpackZstandard],
]

/** Rejections of `whole` are sentences for the author of the image. */
export function openArchive(
  file: ArchiveFile,
  mostBytes: number = sandboxImageLimits.unpackedBytes,
): OpenArchive {
  const source = createReadStream("", { fd: file.fd, start: 0 })
  try {
    const start = firstBytes(file.fd)
    const [, unpack] = starts.find(([magic]) => start.startsWith(magic)) ?? []
    const unpacked = unpack ? unpack(file.name) : new PassThrough()
    const bytes = bound(mostBytes)
    pipeline(source, checkContent(file), unpacked, bytes, () => {})
    const whole = finished(bytes)
    // The caller that waits for it gets the error, which may be later.
    whole.catch(() => {})
    const stream = Readable.toWeb(bytes) as ReadableStream<Uint8Array>
    return { stream, whole, close: () => source.destroy() }
  } catch (error) {
    source.destroy()
    throw error
  }
}

function firstBytes(fd: number): string {
  const buffer = Buffer.alloc(4)
  return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0)).toString("hex")
}

/** Passes the file's bytes on, and fails at their end when they are others than they should be. */
function checkContent({ fd, stats, digest }: ArchiveFile): Transform {
  const [algorithm = "", wanted] = digest?.split(":") ?? []
  const hash = wanted === undefined ? null : createHash(algorithm)
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      hash?.update(chunk)
      done(null, chunk)
    },
    flush(done) {
      if (!isSame(stats, fstatSync(fd, { bigint: true })))
        done(new Error("It was changed while it was read."))
      else if (hash && hash.digest("hex") !== wanted) done(new Error(`Its ${digest} is damaged.`))
      else done()
    },
  })
}

function isSame(before: BigIntStats, after: BigIntStats): boolean {
  return before.size === after.size && before.mtimeNs === after.mtimeNs
}

/** A small file can stand for more than any disk has room for. */
function bound(most: number): Transform {
  let left = most
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      left -= chunk.length
      if (left < 0) done(new Error(`It unpacks to more than ${most} bytes.`))
      else done(null, chunk)
    },
  })
}

/** Node has it since 22.15. */
function unpackZstandard(name: string): Transform {
  if ("createZstdDecompress" in zlib) return zlib.createZstdDecompress()
  throw permanentFailure(
    `${JSON.stringify(name)} is packed with zstd, which this version of Node can't unpack. Use Node 22.15 or later, or pack it with gzip.`,
  )
}
