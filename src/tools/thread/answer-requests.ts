import { parentPort } from "node:worker_threads"
import { type FailureDetails, failureFrom } from "../../contract/index.ts"

export type ThreadAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: FailureDetails }

/** For the file of a thread: answers each request in turn, with what `answer` returns or throws. */
export function answerRequests<Request>(answer: (request: Request) => Promise<unknown>): void {
  parentPort?.on("message", async (request: Request) => {
    parentPort?.postMessage(await attempt(() => answer(request)))
  })
}

async function attempt(work: () => Promise<unknown>): Promise<ThreadAnswer> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}
