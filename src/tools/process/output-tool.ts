import { defineTool, limits, showLines } from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { integer, object } from "../schemas.ts"
import { pidArgument } from "./find-process.ts"
import { stateFields } from "./process-result.ts"

/** process.output: what a background process has written, piece by piece, also while it runs. */
export function outputTool() {
  return defineTool({
    name: "process.output",
    title: "Read a process's output",
    description:
      "Reads what a background process has written to stdout and stderr, from a byte on. To watch it, ask again with " +
      'offset set to next_offset until state is not "running" and truncated is false. Example: {"pid": 42, "offset": 0}.',
    input: object({
      pid: pidArgument,
      offset: integer("First byte to read, such as the next_offset of the last answer.", {
        minimum: 0,
        default: 0,
      }),
      limit: integer("How many bytes at most, such as 4096.", {
        minimum: 1,
        maximum: limits.textBytes,
        default: limits.textBytes,
      }),
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "output" },
      pid: { type: "integer" },
      text: { type: "string" },
      offset: { type: "integer", description: "Where the text really starts." },
      next_offset: { type: "integer" },
      truncated: { type: "boolean", description: "More is there already." },
      ...stateFields,
    }),
    groups: ["runtime"],
    effects: ["read"],
    sandbox: namedSandbox,
    async run(input, context) {
      const { readOutput } = await import("./read-output.ts")
      return readOutput(input, context)
    },
    show: ({ text, state, next_offset: next }) =>
      showLines(text, `[${state}; next_offset ${next}]`),
  })
}
