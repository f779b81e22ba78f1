export type EndingSignal = "TERM" | "KILL"

/** Those that come within this time of each other are one request. */
const gatherMs = 5

/** A request of the agent's is one line of bounded length. */
const mostAtOnce = 100

/**
 * For each request to end commands the agent looks at all processes inside. When hundreds are to end at
 * the same time, one look has to do for many of them.
 */
export function batchEndings(send: (line: string) => void): {
  add(signal: EndingSignal, command: string): void
} {
  const waiting: Record<EndingSignal, string[]> = { TERM: [], KILL: [] }
  let timer: NodeJS.Timeout | null = null
  let sent = Number.NEGATIVE_INFINITY

  function flush(): void {
    timer = null
    sent = performance.now()
    for (const signal of ["TERM", "KILL"] as const) {
      const commands = waiting[signal].splice(0)
      for (let at = 0; at < commands.length; at += mostAtOnce) {
        send(`end ${signal} ${commands.slice(at, at + mostAtOnce).join(" ")}\n`)
      }
    }
  }

  return {
    add(signal, command) {
      waiting[signal].push(command)
      // The first one of a crowd does not wait for the others.
      const passed = performance.now() - sent
      if (timer === null && passed > gatherMs) setImmediate(flush)
      else timer ??= setTimeout(flush, gatherMs)
    },
  }
}
