import type { WatchedCall } from "./watch-session.ts"

/** The calls that run now. */
export interface RunningCalls {
  add(call: WatchedCall): void
  isParked(id: string): boolean
  /** Ends the running calls; tasks only if no call inside them is running. Returns how many it ended. */
  terminate(): number
}

export function createRunningCalls(): RunningCalls {
  const calls = new Map<string, WatchedCall>()
  return {
    add(call) {
      const { running } = call
      calls.set(running.id, call)
      void running.envelope.then(() => calls.delete(running.id))
    },
    isParked: (id) => calls.get(id)?.running.isParked() ?? false,
    terminate() {
      const all = [...calls.values()]
      const inner = all.filter(({ tool }) => tool !== "task")
      const ended = inner.length > 0 ? inner : all
      for (const { running } of ended) running.terminate()
      return ended.length
    },
  }
}
