import { systemClock } from "../../kit/index.ts"
import { ConformanceFailure } from "./conformance-check.ts"

/** Waits for `work` until its time is over; then its signal aborts, and it is left behind. */
export async function within<Result>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const over = new ConformanceFailure(`there was no answer within ${milliseconds} ms`)
  let cancel = () => {}
  const late = new Promise<never>((_, reject) => {
    cancel = systemClock.after(milliseconds, () => {
      reject(over)
      controller.abort(over)
    })
  })
  try {
    return await Promise.race([work(controller.signal), late])
  } finally {
    cancel()
  }
}
