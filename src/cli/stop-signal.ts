const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Aborts when the process is asked to stop; asked once more, it leaves at once. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  const onSignal = () => {
    if (stopping.signal.aborted) process.exit(130)
    stopping.abort()
  }
  for (const signal of signals) process.on(signal, onSignal)
  return stopping.signal
}
