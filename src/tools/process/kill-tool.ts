import { choice, defineTool, limits, object } from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../arguments.ts"
import {
  findProcess,
  pidArgument,
  processResult,
  processSchema,
  showProcess,
} from "./process-result.ts"

/** process.kill: ends a background process and all that it has started. */
export function killTool() {
  return defineTool({
    name: "process.kill",
    title: "End a process",
    description:
      'Ends a background process and its children, and answers when they are gone. Example: {"pid": 42}.',
    input: object({
      pid: pidArgument,
      signal: choice(
        ["SIGTERM", "SIGKILL"],
        "SIGTERM asks first and kills after 3 seconds; SIGKILL ends it at once.",
      ),
      "sandbox?": sandboxArgument,
    }),
    output: processSchema,
    groups: ["runtime"],
    effects: ["execute"],
    sandbox: namedSandbox,
    async run({ pid, signal }, context) {
      const workspace = await context.workspace()
      const found = await findProcess(workspace, pid)
      if (found.state.kind !== "running") {
        context.warn(`Process ${pid} had already ended; nothing was done.`)
        return processResult(found)
      }
      const graceMs = signal === "SIGKILL" ? 0 : limits.terminateGraceMs
      return processResult(
        await workspace.processes.kill(found.id, { graceMs, signal: context.signal }),
      )
    },
    show: showProcess,
  })
}
