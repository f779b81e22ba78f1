export interface AbortWait {
  /** Resolves when one of the signals is aborted. */
  readonly aborted: Promise<null>
  /** Takes the listeners away: a signal may live as long as the program. */
  release(): void
}

export function waitForAbort(...signals: readonly AbortSignal[]): AbortWait {
  let stop = () => {}
  const aborted = new Promise<null>((resolve) => {
    stop = () => resolve(null)
  })
  if (signals.some((signal) => signal.aborted)) stop()
  for (const signal of signals) signal.addEventListener("abort", stop)
  return {
    aborted,
    release() {
      for (const signal of signals) signal.removeEventListener("abort", stop)
    },
  }
}
