import { limits, ToolFailure } from "../../contract/index.ts"
import { serverStops } from "../../mcp/index.ts"
import type { RunningCall } from "../../runtime/index.ts"

/** The calls that clients of the API have started. */
export interface OwnCalls {
  /** Begins one, unless the server stops. */
  begin(start: () => RunningCall): RunningCall
  /** Begins none any more, waits a while for those that run, and ends the rest with a reason. */
  close(): Promise<void>
}

export function createOwnCalls(stopMs: number = limits.stopMs): OwnCalls {
  const running = new Set<RunningCall>()
  let isStopping = false

  return {
    begin(start) {
      if (isStopping) {
        throw new ToolFailure({ kind: "unavailable", message: "The server is stopping." })
      }
      const call = start()
      running.add(call)
      void call.envelope.finally(() => running.delete(call))
      return call
    },
    async close() {
      isStopping = true
      const patience = setTimeout(() => {
        const reason = new ToolFailure({ kind: "unavailable", message: serverStops })
        for (const call of running) call.cancel(reason)
      }, stopMs)
      await Promise.all([...running].map(({ envelope }) => envelope))
      clearTimeout(patience)
    },
  }
}
