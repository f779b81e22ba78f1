import { defineTool, object, text } from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../arguments.ts"
import { processLimits } from "../limits.ts"
import {
  findProcess,
  pidArgument,
  processResult,
  processSchema,
  showProcess,
} from "./process-result.ts"

/** process.write: input for a background process while it runs. */
export function writeTool() {
  return defineTool({
    name: "process.write",
    title: "Write to a process",
    description:
      "Writes to the standard input of a background process that was started with open_stdin; process.output has its answer. " +
      'Example: {"pid": 42, "text": "yes\\n"}.',
    input: object({
      pid: pidArgument,
      text: text('What to write, such as "yes\\n"; a program that reads lines needs the newline.', {
        minLength: 0,
        maxLength: processLimits.writeCharacters,
      }),
      end: { type: "boolean", default: false, description: "Ends its input after the text." },
      "sandbox?": sandboxArgument,
    }),
    output: processSchema,
    groups: ["runtime"],
    effects: ["execute"],
    sandbox: namedSandbox,
    async run({ pid, text: input, end }, context) {
      const { signal } = context
      const workspace = await context.workspace()
      const { id } = await findProcess(workspace, pid)
      return processResult(await workspace.processes.write(id, input, { end, signal }))
    },
    show: showProcess,
  })
}
