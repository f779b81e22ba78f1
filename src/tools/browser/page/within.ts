/**
 * What a page promises, waited for no longer than this: a page that loops forever answers nothing, and
 * not every question to it has a deadline of its own. What comes later is ignored.
 */
export async function within<Value>(
  promise: Promise<Value>,
  { ms, signal }: { readonly ms: number; readonly signal?: AbortSignal },
): Promise<Value> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new LateAnswer(ms)), ms)
  const abort = () => reject(signal?.reason)
  signal?.addEventListener("abort", abort)
  if (signal?.aborted) abort()
  promise.catch(() => {})
  try {
    return await Promise.race([promise, over])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
  }
}

export class LateAnswer extends Error {
  override readonly name = "LateAnswer"

  constructor(ms: number) {
    super(`The page did not answer within ${ms} ms.`)
  }
}
