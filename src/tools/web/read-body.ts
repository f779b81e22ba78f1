import { type Duplex, pipeline, Readable } from "node:stream"
import * as zlib from "node:zlib"
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from "node:zlib"
import { limits, ToolFailure } from "../../contract/index.ts"
import { webLimits } from "../limits.ts"
import { type WebResponse, webFailure } from "./send-request.ts"

export interface Body {
  /** Decompressed; at most as many as were asked for. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whether there were more. */
  readonly truncated: boolean
}

/** What a server may compress with. Older versions of Node have no zstd. */
export const acceptedEncodings = [
  "gzip",
  "deflate",
  "br",
  ...("createZstdDecompress" in zlib ? ["zstd"] : []),
].join(", ")

/**
 * Reads until the limit and no further, so that neither a claim of 10 GB nor a bomb is ever in memory:
 * what is decompressed is counted, in pieces.
 */
export async function readBody(
  response: WebResponse,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Body> {
  const chunks: Uint8Array[] = []
  let size = 0
  let truncated = false
  try {
    for await (const chunk of await decompressed(response)) {
      const piece: Uint8Array = chunk.subarray(0, maxBytes - size)
      chunks.push(piece)
      size += piece.length
      truncated = piece.length < chunk.length
      if (truncated) break
    }
  } catch (error) {
    signal.throwIfAborted()
    throw webFailure(error, response.url)
  } finally {
    response.body.on("error", () => {}).destroy()
  }
  return { bytes: new Uint8Array(Buffer.concat(chunks)), truncated }
}

async function decompressed({ body, header, url }: WebResponse): Promise<Readable> {
  const encodings = (header("content-encoding") ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity")
  if (encodings.length > webLimits.encodings) throw foreign(url, `${encodings.length} compressions`)
  let stream: Readable = body
  // The last one was put around the others.
  for (const name of encodings.reverse()) {
    const [source, decoder] =
      name === "deflate" ? await inflating(stream) : [stream, decoderFor(name)]
    if (decoder === null)
      throw foreign(url, `the compression "${name.slice(0, limits.quotedCharacters)}"`)
    // Errors reach the reader through the last of them.
    stream = pipeline(source, decoder, () => {})
  }
  return stream
}

/** An end that comes too early is the connection's to notice: servers leave checksums out. */
const lenient = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }

function decoderFor(name: string): Duplex | null {
  switch (name) {
    case "gzip":
    case "x-gzip":
      return createGunzip(lenient)
    case "br":
      return createBrotliDecompress()
    case "zstd":
      return "createZstdDecompress" in zlib ? zlib.createZstdDecompress() : null
    default:
      return null
  }
}

/** "deflate" means zlib's format, and some servers send it bare: the first byte tells. */
async function inflating(stream: Readable): Promise<[Readable, Duplex]> {
  const chunks: AsyncIterator<Buffer, undefined> = stream[Symbol.asyncIterator]()
  const { value: first = Buffer.alloc(0) } = await chunks.next()
  async function* again() {
    yield first
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  const isZlib = ((first[0] ?? 0) & 0x0f) === 8
  const decoder = isZlib ? createInflate(lenient) : createInflateRaw(lenient)
  return [Readable.from(again(), { objectMode: false }), decoder]
}

function foreign({ host }: URL, what: string): ToolFailure {
  return new ToolFailure({
    kind: "execution_error",
    message: `${host} sends a body with ${what}, which can't be read.`,
    retryable: false,
  })
}
