import type { Workspace } from "../../contract/index.ts"
import { onAbort } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"

export interface FilePart {
  readonly file: string
  readonly offset: number
  readonly bytes: number
  readonly signal: AbortSignal
}

export interface Pieces {
  readonly body: ReadableStream<Uint8Array>
  /** How many bytes were taken, when no more are. */
  readonly sent: Promise<number>
}

/** A part of a file in a sandbox, one piece after the other, each when the reader wants it. */
export function readPieces(workspace: Workspace, part: FilePart): Pieces {
  const { file, offset, bytes, signal } = part
  const ended = Promise.withResolvers<number>()
  // Not everybody who reads wants to know.
  ended.promise.catch(() => {})
  let at = offset
  const end = offset + bytes
  const stop = () => ended.resolve(at - offset)
  onAbort(signal, stop)
  const next = async (): Promise<Uint8Array> => {
    if (at >= end) return new Uint8Array()
    const length = Math.min(httpLimits.fileBytes, end - at)
    return workspace.readFileBuffer(file, { offset: at, length, signal })
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await next()
          at += piece.length
          if (piece.length > 0) return controller.enqueue(piece)
          // Also where it has become shorter: the client notices by the length that it was promised.
          controller.close()
          stop()
        } catch (error) {
          controller.error(error)
          ended.reject(error)
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  )
  return { body, sent: ended.promise }
}
