import { defineTool, integer, object } from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../arguments.ts"
import { commandLimits, processLimits } from "../limits.ts"
import {
  findProcess,
  pidArgument,
  processResult,
  showProcess,
  waitedSchema,
} from "./process-result.ts"

/** process.wait: until a background process has ended, or the time is over. */
export function waitTool() {
  return defineTool({
    name: "process.wait",
    title: "Wait for a process",
    description:
      "Waits until a background process has ended. When timeout_ms is over first, it goes on, and timed_out is true. " +
      'Example: {"pid": 42, "timeout_ms": 30000}.',
    input: object({
      pid: pidArgument,
      timeout_ms: integer("Milliseconds at most.", {
        minimum: 1,
        maximum: commandLimits.timeoutMsMost,
        default: processLimits.waitMs,
      }),
      "sandbox?": sandboxArgument,
    }),
    output: waitedSchema,
    groups: ["runtime"],
    effects: ["read"],
    timeoutMs: null,
    sandbox: namedSandbox,
    async run({ pid, timeout_ms: timeoutMs }, context) {
      const workspace = await context.workspace()
      const { id } = await findProcess(workspace, pid)
      const signal = AbortSignal.any([context.signal, context.terminated])
      try {
        const status = await workspace.processes.wait(id, { timeoutMs, signal })
        const isRunning = status.state.kind === "running"
        return { ...processResult(status), ...(isRunning ? { timed_out: true } : {}) }
      } catch (error) {
        // Ending the wait does not end the process, so the answer says how it is doing.
        if (!context.terminated.aborted) throw error
        return processResult(await workspace.processes.status(id))
      }
    },
    show: showProcess,
  })
}
