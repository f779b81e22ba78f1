import {
  defineTool,
  type InferSchema,
  limits,
  requirePath,
  showLines,
} from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { invalidArgument, namedSandbox, sandboxArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"
import { choice, integer, object, text } from "../../schemas.ts"
import { listDirectory, listingSchema, showListing } from "./list-tool.ts"
import { fileSchema, readAsBase64, readAsText } from "./read-contents.ts"

const input = object({
  path: text('A file or a directory, such as "src/main.ts" or ".".'),
  encoding: choice(["utf8", "base64"], "utf8 for text; base64 for binary files such as images."),
  "start_line?": {
    type: "integer",
    minimum: 1,
    description: "First line to read; the first line is 1. Not together with offset or limit.",
  },
  "line_count?": {
    type: "integer",
    minimum: 1,
    description: "How many lines, such as 200. Without it, as many as fit into one answer.",
  },
  "offset?": {
    type: "integer",
    minimum: 0,
    description: "First byte to read, such as the next_offset of the last answer.",
  },
  "limit?": integer(
    `How many bytes at most, such as 4096. One answer holds ${limits.textBytes}, or ${fileLimits.base64Bytes} as base64.`,
    { minimum: 1, maximum: limits.textBytes },
  ),
  "sandbox?": sandboxArgument,
})

const output = { type: "object", oneOf: [fileSchema, listingSchema] } as const

export type ReadInput = InferSchema<typeof input>

/** file.read: a directory lists, a file reads, piece by piece. */
export function readTool() {
  return defineTool({
    name: "file.read",
    title: "Read a file",
    description:
      "Reads a file, or lists a directory. A long file comes in pieces: next_start_line and next_offset " +
      'say where to go on, and truncated says that less came than was asked for. Example: {"path": "src/main.ts", "start_line": 120, "line_count": 80}.',
    input,
    output,
    groups: ["fs"],
    effects: ["read"],
    pathArguments: ["path"],
    paths: (input) => [{ path: input.path, mode: "read" }],
    sandbox: namedSandbox,
    async run(input, context) {
      checkRange(input)
      const workspace = await context.workspace()
      const path = requirePath(input.path, workspace, "path")
      const { type, size } = await workspace.stat(path, context)
      switch (type) {
        case "directory":
          return listDirectory(workspace, {
            path: input.path,
            limit: limits.listingEntries,
            recursive: false,
            context,
          })
        case "file": {
          const source = { workspace, path, size, signal: context.signal }
          return input.encoding === "base64"
            ? readAsBase64(source, input, context)
            : readAsText(source, input, context)
        }
        case "other":
          throw new WorkspaceError("not-file", input.path)
        default:
          return type satisfies never
      }
    },
    show: (result) => (result.kind === "file" ? showFile(result) : showListing(result)),
  })
}

function checkRange(input: ReadInput): void {
  const lines = input.start_line !== undefined || input.line_count !== undefined
  const bytes = input.offset !== undefined || input.limit !== undefined
  if (lines && bytes) {
    throw invalidArgument(
      input.start_line === undefined ? "line_count" : "start_line",
      "A range is in lines or in bytes, not both.",
      "either start_line and line_count, or offset and limit",
    )
  }
  if (lines && input.encoding === "base64") {
    throw invalidArgument(
      input.start_line === undefined ? "line_count" : "start_line",
      "base64 has no lines.",
      "offset and limit together with base64",
    )
  }
}

function showFile(file: InferSchema<typeof fileSchema>): string {
  return showLines(
    file.text ?? `${file.path}: ${file.bytes} bytes as base64\n${file.base64}`,
    file.truncated && `[cut: ${file.size} bytes in all]`,
  )
}
