import type { Connection } from "../../contract/index.ts"

/** The same result, with somebody who hears when something comes through its streams. */
export function watchStreams<Result>(result: Result, touch: () => void): Result {
  if (result instanceof ReadableStream) return result.pipeThrough(touching(touch)) as Result
  if (typeof result !== "object" || result === null || !("writable" in result)) return result
  const connection = result as unknown as Connection
  const outgoing = touching(touch)
  outgoing.readable.pipeTo(connection.writable).catch(() => {})
  return {
    readable: connection.readable.pipeThrough(touching(touch)),
    writable: outgoing.writable,
    close: () => connection.close(),
  } as Result
}

function touching(touch: () => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      touch()
      controller.enqueue(chunk)
    },
  })
}
