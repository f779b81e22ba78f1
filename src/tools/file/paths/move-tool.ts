import { type CallContext, defineTool, type InferSchema } from "../../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../../sandbox-argument.ts"

const inputSchema = {
  type: "object",
  properties: {
    from: {
      type: "string",
      minLength: 1,
      description: 'The file, link or directory, such as "draft.md".',
    },
    to: {
      type: "string",
      minLength: 1,
      description: 'Its whole new path, such as "notes/final.md". Missing directories are made.',
    },
    overwrite: {
      type: "boolean",
      default: false,
      description: "Replace a file that is there already; a directory is never replaced.",
    },
    sandbox: sandboxArgument,
  },
  required: ["from", "to"],
  additionalProperties: false,
} as const

/** file.move: another name or another place for a file or a directory. */
export function moveTool() {
  return defineTool({
    name: "file.move",
    title: "Move or rename",
    description:
      "Moves or renames a file or a directory. What is at the new path stays unless overwrite is true. " +
      'Example: {"from": "draft.md", "to": "notes/final.md"}.',
    input: inputSchema,
    output: {
      type: "object",
      properties: {
        kind: { const: "move" },
        from: { type: "string" },
        to: { type: "string" },
        overwritten: { type: "boolean" },
      },
      required: ["kind", "from", "to", "overwritten"],
      additionalProperties: false,
    },
    groups: ["fs"],
    effects: ["write"],
    pathArguments: ["from", "to"],
    paths: ({ from, to }) => [
      { path: from, mode: "write" },
      { path: to, mode: "write" },
    ],
    sandbox: namedSandbox,
    async run(input: InferSchema<typeof inputSchema>, context: CallContext) {
      const { movePath } = await import("./move-path.ts")
      return movePath(input, context)
    },
  })
}
