import { ConnectError } from "./connect-error.ts"

/** Before each message of a stream: one byte of flags and the length of what follows, big-endian. */
const headBytes = 5
const flag = { compressed: 0b01, endOfStream: 0b10 } as const

/** One message of a stream. */
export function envelopeOf(message: unknown): Uint8Array<ArrayBuffer> {
  return frame(0, message)
}

/** What ends every stream, also one that failed. */
export function endOfStream(error?: ConnectError): Uint8Array<ArrayBuffer> {
  return frame(flag.endOfStream, error ? { error } : {})
}

function frame(flags: number, message: unknown): Uint8Array<ArrayBuffer> {
  const body = Buffer.from(JSON.stringify(message))
  const whole = Buffer.allocUnsafe(headBytes + body.length)
  whole.writeUInt8(flags, 0)
  whole.writeUInt32BE(body.length, 1)
  body.copy(whole, headBytes)
  return whole
}

/** The messages of a stream as they come. A length that is too large is refused before any of it is held. */
export async function* readEnvelopes(
  body: AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<unknown> {
  const parts: Uint8Array[] = []
  let size = 0
  let wanted = headBytes
  for await (const part of body) {
    parts.push(part)
    size += part.length
    // Put together only when a message may be whole: one that comes byte by byte would be copied for each.
    while (size >= wanted) {
      const held = Buffer.concat(parts)
      const flags = held.readUInt8(0)
      const end = headBytes + held.readUInt32BE(1)
      requireKnown(flags)
      if (end > most) throw tooLarge(most)
      const isWhole = size >= end
      const rest = isWhole ? held.subarray(end) : held
      parts.splice(0, parts.length, rest)
      size = rest.length
      wanted = isWhole ? headBytes : end
      if (!isWhole) break
      if (flags === flag.endOfStream) return
      yield parseMessage(held.toString("utf8", headBytes, end))
    }
  }
  if (size > 0) throw new ConnectError("invalid_argument", "The stream ends in a message.")
}

function requireKnown(flags: number): void {
  if (flags === 0 || flags === flag.endOfStream) return
  const message =
    flags === flag.compressed
      ? "Compressed messages are not taken: send them as they are."
      : `A message has the flags ${flags}, which mean nothing.`
  throw new ConnectError("unimplemented", message)
}

export function parseMessage(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ConnectError("invalid_argument", "The message is not valid JSON.")
  }
}

export function tooLarge(most: number): ConnectError {
  return new ConnectError(
    "resource_exhausted",
    `The message is larger than ${most / 1024 ** 2} MiB.`,
  )
}
