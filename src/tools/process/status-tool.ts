import { defineTool } from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { pidArgument } from "./find-process.ts"
import { processSchema } from "./process-schema.ts"

/** process.status: how a background process is doing. */
export function statusTool() {
  return defineTool({
    name: "process.status",
    title: "Look at a process",
    description:
      'Says whether a background process still runs, and how it ended if not. Example: {"pid": 42}.',
    input: {
      type: "object",
      properties: { pid: pidArgument, sandbox: sandboxArgument },
      required: ["pid"],
      additionalProperties: false,
    },
    output: processSchema,
    groups: ["runtime"],
    effects: ["read"],
    sandbox: namedSandbox,
    async run({ pid }, context) {
      const { findProcess } = await import("./find-process.ts")
      const { processResult } = await import("./process-result.ts")
      return processResult(await findProcess(await context.workspace(), pid))
    },
  })
}
