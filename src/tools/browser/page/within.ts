import { withTimeout } from "../../../kit/index.ts"

/** Waits this long at most for a page's answer: a page that loops forever answers nothing. */
export function within<Value>(
  promise: Promise<Value>,
  { ms, signal }: { readonly ms: number; readonly signal?: AbortSignal },
): Promise<Value> {
  const otherwise = () => {
    throw new LateAnswer(ms)
  }
  return withTimeout(promise, ms, { otherwise, signal })
}

export class LateAnswer extends Error {
  override readonly name = "LateAnswer"

  constructor(ms: number) {
    super(`The page did not answer within ${ms} ms.`)
  }
}
