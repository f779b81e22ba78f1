/** The processor's time, not the clock's: other work on the machine does not count. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/**
 * Counts turns of this process's event loop, 10 ms apart, until it is stopped. Says how much of the processor's time went
 * by for each: much where something keeps the loop busy, and little where only the machine is.
 */
export function watchTurns(): { readonly stop: () => number } {
  const before = process.threadCpuUsage()
  let turns = 0
  const turning = setInterval(() => {
    turns += 1
  }, 10)
  return {
    stop() {
      clearInterval(turning)
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1000 / turns
    },
  }
}
