import type { OperationControl, OperationResults } from "../host/operation.ts"
import type { Dispatcher } from "../payloads/dispatcher.ts"
import type { Payload, PayloadResults } from "../payloads/payload.ts"

export interface UseListener {
  begin(): void
  end(): void
  touch(): void
}

/** The same dispatcher, with somebody who hears when it is used. What runs in the background is no use. */
export function watchUse({ sandbox, dispatch }: Dispatcher, use: UseListener): Dispatcher {
  return {
    sandbox,
    async dispatch<Kind extends Payload["kind"]>(
      payload: Extract<Payload, { kind: Kind }>,
      control?: Partial<OperationControl>,
    ): Promise<PayloadResults[Kind]> {
      use.begin()
      try {
        return watchStreams(await dispatch<Kind>(payload, control), use)
      } finally {
        use.end()
      }
    },
  }
}

/** A stream is in use for as long as something comes through it. */
function watchStreams<Result>(result: Result, use: UseListener): Result {
  if (result instanceof ReadableStream) return result.pipeThrough(touching(use)) as Result
  if (typeof result !== "object" || result === null || !("writable" in result)) return result
  const connection = result as unknown as OperationResults["port.connect"]
  const outgoing = touching(use)
  outgoing.readable.pipeTo(connection.writable).catch(() => {})
  return {
    readable: connection.readable.pipeThrough(touching(use)),
    writable: outgoing.writable,
    close: () => connection.close(),
  } as Result
}

function touching(use: UseListener): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      use.touch()
      controller.enqueue(chunk)
    },
  })
}
