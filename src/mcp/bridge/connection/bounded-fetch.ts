import { limits } from "../../../contract/index.ts"

const { messageBytes } = limits.bridge
const newline = 10
const carriageReturn = 13

/** `fetch` whose answers end when one message in them is larger than it may be. */
export function boundedFetch(onTooLarge: () => void): typeof fetch {
  return async (address, init) => {
    const response = await fetch(address, init)
    if (!response.body) return response
    if (response.status > 599) throw new Error(`There is no status ${response.status}.`)
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false
    const body = response.body.pipeThrough(bounded(isStream, onTooLarge))
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}

/** In a stream of events, what counts is one event: it ends with an empty line. */
function bounded(
  isStream: boolean,
  onTooLarge: () => void,
): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  const count = isStream ? countEvent() : (piece: Uint8Array) => (size += piece.length)
  return new TransformStream({
    transform(piece, controller) {
      if (count(piece) <= messageBytes) return controller.enqueue(piece)
      onTooLarge()
      controller.error(new Error("The message is too large."))
    },
  })
}

/** How many bytes have come since the last empty line. */
function countEvent(): (piece: Uint8Array) => number {
  let size = 0
  let line = 0
  return (piece) => {
    for (const byte of piece) {
      size += 1
      if (byte === newline) {
        if (line === 0) size = 0
        line = 0
      } else if (byte !== carriageReturn) line += 1
    }
    return size
  }
}
