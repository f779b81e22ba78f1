import { type CallContext, defineTool } from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { pidArgument } from "./find-process.ts"
import { processSchema } from "./process-schema.ts"

const inputSchema = {
  type: "object",
  properties: {
    pid: pidArgument,
    signal: {
      type: "string",
      enum: ["SIGTERM", "SIGKILL"],
      default: "SIGTERM",
      description:
        "SIGTERM asks it to end, and kills it when it has not after 3 seconds; SIGKILL ends it at once.",
    },
    sandbox: sandboxArgument,
  },
  required: ["pid"],
  additionalProperties: false,
} as const

/** process.kill: ends a background process and all that it has started. */
export function killTool() {
  return defineTool({
    name: "process.kill",
    title: "End a process",
    description:
      'Ends a background process with all of its children, and answers when they are gone. Example: {"pid": 42}.',
    input: inputSchema,
    output: processSchema,
    groups: ["runtime"],
    effects: ["execute"],
    sandbox: namedSandbox,
    async run(input: { pid: number; signal: "SIGTERM" | "SIGKILL" }, context: CallContext) {
      const { killProcess } = await import("./kill-process.ts")
      return killProcess(input, context)
    },
  })
}
