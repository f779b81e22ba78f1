import { type CallContext, defineTool, limits } from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { pidArgument } from "./find-process.ts"
import { waitedSchema } from "./process-schema.ts"

/** process.wait: until a background process has ended, or the time is over. */
export function waitTool() {
  return defineTool({
    name: "process.wait",
    title: "Wait for a process",
    description:
      'Waits until a background process has ended. When timeout_ms is over first, state is "running" and timed_out is true; ' +
      'the process goes on. Example: {"pid": 42, "timeout_ms": 30000}.',
    input: {
      type: "object",
      properties: {
        pid: pidArgument,
        timeout_ms: {
          type: "integer",
          minimum: 1,
          maximum: limits.command.timeoutMsMost,
          default: limits.process.waitMs,
          description: "How many milliseconds to wait at most, such as 30000.",
        },
        sandbox: sandboxArgument,
      },
      required: ["pid"],
      additionalProperties: false,
    },
    output: waitedSchema,
    groups: ["runtime"],
    effects: ["read"],
    timeoutMs: null,
    sandbox: namedSandbox,
    async run(input: { pid: number; timeout_ms: number }, context: CallContext) {
      const { waitForProcess } = await import("./wait-for-process.ts")
      return waitForProcess(input, context)
    },
  })
}
