import { Socket } from "node:net"
import { type FailureDetails, failureFrom } from "../../contract/index.ts"
import { descriptors, encodeFrame, FrameReader } from "./frames.ts"

/** What a request is answered with: JSON, and bytes beside it. */
export interface WorkAnswer<Value> {
  readonly value: Value
  readonly bytes?: Uint8Array
}

/** The first message is the empty one that says that the process takes requests. */
export type AnswerFrame =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly value: unknown }
  | { readonly kind: "failure"; readonly failure: FailureDetails }

/** For the file of a kind of work: answers each request with what `answer` returns or throws. */
export function answerRequests<Request>(
  answer: (request: Request, bytes: Uint8Array<ArrayBuffer>) => Promise<WorkAnswer<unknown>>,
): void {
  const socket = new Socket({ fd: descriptors.messages })
  const send = (frame: AnswerFrame, bytes?: Uint8Array) => {
    for (const part of encodeFrame(frame, bytes)) socket.write(part)
  }
  // What Toolkeep sends is as large as it likes.
  const reader = new FrameReader(Number.POSITIVE_INFINITY)
  socket.on("error", () => process.exit())
  socket.on("end", () => process.exit())
  socket.on("data", async (chunk) => {
    reader.push(chunk)
    const request = reader.next()
    if (!request) return
    try {
      const { value, bytes } = await answer(request.value as Request, request.bytes)
      send({ kind: "answer", value }, bytes)
    } catch (error) {
      send({ kind: "failure", failure: failureFrom(error) })
    }
  })
  send({ kind: "ready" })
}
