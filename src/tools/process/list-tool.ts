import { defineTool, object, showLines } from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../arguments.ts"
import { takeFitting } from "../take-fitting.ts"
import { processResult, processSchema, showProcess } from "./process-result.ts"

/** process.list: what was started in the background of a sandbox. */
export function listTool() {
  return defineTool({
    name: "process.list",
    title: "List processes",
    description:
      "Lists background processes, newest first: those that run and those that ended recently. Example: {}.",
    input: object({
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "processes" },
      processes: { type: "array", items: processSchema },
      count: { type: "integer" },
      running: {
        type: "integer",
        description: "How many processes still run, including those left out here.",
      },
      truncated: { type: "boolean" },
    }),
    groups: ["runtime"],
    effects: ["read"],
    sandbox: namedSandbox,
    async run(_input, context) {
      const workspace = await context.workspace()
      const all = (await workspace.processes.list()).map(processResult).reverse()
      const processes = takeFitting(all)
      return {
        kind: "processes",
        processes,
        count: processes.length,
        running: all.filter((one) => one.state === "running").length,
        truncated: processes.length < all.length,
      }
    },
    show: ({ processes, running, truncated }) =>
      processes.length === 0
        ? "No background processes."
        : showLines(...processes.map(showProcess), truncated && `[there are more; ${running} run]`),
  })
}
