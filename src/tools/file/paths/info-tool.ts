import {
  type CallContext,
  type Capabilities,
  defineTool,
  type InferSchema,
} from "../../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../../sandbox-argument.ts"

const inputSchema = {
  type: "object",
  properties: {
    path: {
      type: "string",
      minLength: 1,
      description: 'A file or a directory, such as "dist/report.pdf".',
    },
    sandbox: sandboxArgument,
  },
  required: ["path"],
  additionalProperties: false,
} as const

/** file.info: what a path is, without its content. */
export function infoTool(can: Capabilities) {
  return defineTool({
    name: "file.info",
    title: "Look at a path",
    description:
      "Says what a path is: file or directory, size, when it was changed, and for a file what kind of content it has. Links are followed; " +
      'is_link and link_target name one, and type "link" is one that leads nowhere. Example: {"path": "dist/report.pdf"}.',
    input: inputSchema,
    output: {
      type: "object",
      properties: {
        kind: { const: "info" },
        path: { type: "string" },
        type: { enum: ["file", "directory", "other", "link"] },
        is_link: { type: "boolean" },
        link_target: { type: "string" },
        size: { type: "integer", description: "In bytes." },
        modified: { type: "string", format: "date-time" },
        ...(can.fileModes
          ? { mode: { type: "string", description: 'Permissions in octal: "644".' } as const }
          : {}),
        mime_type: { type: "string", description: "Of a file: guessed from how it starts." },
        is_text: { type: "boolean", description: "Whether a file starts as UTF-8 text." },
      },
      required: ["kind", "path", "type", "is_link"],
      additionalProperties: false,
    },
    groups: ["fs"],
    effects: ["read"],
    pathArguments: ["path"],
    paths: (input) => [{ path: input.path, mode: "read" }],
    sandbox: namedSandbox,
    async run(input: InferSchema<typeof inputSchema>, context: CallContext) {
      const { describePath } = await import("./describe-path.ts")
      return describePath(input.path, context)
    },
  })
}
