/**
 * Yields once at the start and then after each change, several of which may be one, until the signal aborts. A reader
 * that is slow finds the latest state, not a queue.
 */
export async function* onChange(
  watch: (changed: () => void) => () => void,
  signal: AbortSignal,
): AsyncIterable<void> {
  let isStale = true
  let wake = () => {}
  const stop = watch(() => {
    isStale = true
    wake()
  })
  const abort = () => wake()
  signal.addEventListener("abort", abort)
  try {
    while (!signal.aborted) {
      if (isStale) {
        isStale = false
        yield
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  } finally {
    signal.removeEventListener("abort", abort)
    stop()
  }
}
