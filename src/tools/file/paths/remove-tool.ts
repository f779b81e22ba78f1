import { type CallContext, defineTool, type InferSchema } from "../../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../../sandbox-argument.ts"

const inputSchema = {
  type: "object",
  properties: {
    path: {
      type: "string",
      minLength: 1,
      description: 'The file, link or directory, such as "build/old.log".',
    },
    recursive: {
      type: "boolean",
      default: false,
      description: "Also a directory with something in it, with all of that.",
    },
    sandbox: sandboxArgument,
  },
  required: ["path"],
  additionalProperties: false,
} as const

/** file.remove: a file, a link, or a directory. */
export function removeTool() {
  return defineTool({
    name: "file.remove",
    title: "Remove a file",
    description:
      "Removes a file or an empty directory for good, or with recursive a whole directory. A link is removed, never what it leads to. " +
      'Example: {"path": "build", "recursive": true}.',
    input: inputSchema,
    output: {
      type: "object",
      properties: { kind: { const: "remove" }, path: { type: "string" } },
      required: ["kind", "path"],
      additionalProperties: false,
    },
    groups: ["fs"],
    effects: ["write"],
    pathArguments: ["path"],
    paths: (input) => [{ path: input.path, mode: "write" }],
    sandbox: namedSandbox,
    async run(input: InferSchema<typeof inputSchema>, context: CallContext) {
      const { removePath } = await import("./remove-path.ts")
      return removePath(input, context)
    },
  })
}
