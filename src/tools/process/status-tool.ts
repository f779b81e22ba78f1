import { defineTool, object } from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../arguments.ts"
import {
  findProcess,
  pidArgument,
  processResult,
  processSchema,
  showProcess,
} from "./process-result.ts"

/** process.status: how a background process is doing. */
export function statusTool() {
  return defineTool({
    name: "process.status",
    title: "Look at a process",
    description:
      'Reports whether a background process still runs, or how it ended. Example: {"pid": 42}.',
    input: object({
      pid: pidArgument,
      "sandbox?": sandboxArgument,
    }),
    output: processSchema,
    groups: ["runtime"],
    effects: ["read"],
    sandbox: namedSandbox,
    run: async ({ pid }, context) =>
      processResult(await findProcess(await context.workspace(), pid)),
    show: showProcess,
  })
}
