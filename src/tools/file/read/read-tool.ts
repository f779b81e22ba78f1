import {
  type CallLimits,
  choice,
  defineTool,
  type InferSchema,
  integer,
  limits,
  object,
  requirePath,
  showLines,
  text,
} from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { invalidArgument, namedSandbox, sandboxArgument } from "../../arguments.ts"
import { listDirectory, listingSchema, showListing } from "./list-tool.ts"
import { base64Bytes, fileSchema, rangeBytes, readAsBase64, readAsText } from "./read-contents.ts"

const inputSchema = ({ textBytes }: CallLimits) =>
  object({
    path: text("A file or a directory."),
    encoding: choice(["utf8", "base64"], "base64 for binary files."),
    "start_line?": {
      type: "integer",
      minimum: 1,
      description: "First line, from 1; not with offset or limit.",
    },
    "line_count?": {
      type: "integer",
      minimum: 1,
      description: "How many; without it, as many as fit.",
    },
    "offset?": {
      type: "integer",
      minimum: 0,
      description: "First byte, such as the last answer's next_offset.",
    },
    "limit?": integer(`Bytes at most, such as 4096; ${base64Bytes(textBytes)} as base64.`, {
      minimum: 1,
      maximum: rangeBytes(textBytes),
    }),
    "sandbox?": sandboxArgument,
  })

const output = { type: "object", oneOf: [fileSchema, listingSchema] } as const

export type ReadInput = InferSchema<ReturnType<typeof inputSchema>>

/** file.read: a directory lists, a file reads, piece by piece. */
export function readTool(held: CallLimits) {
  return defineTool({
    name: "file.read",
    title: "Read a file",
    description:
      "Reads a file, or lists a directory. A long file comes in pieces: " +
      'next_start_line and next_offset say where to go on. Example: {"path": "src/main.ts", "start_line": 120, "line_count": 80}.',
    input: inputSchema(held),
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
          const { signal } = context
          const source = { workspace, path, size, signal, textBytes: held.textBytes }
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

type ReadFile = InferSchema<typeof fileSchema>

/** The text; below that of a piece, where it is from and where the next one starts. */
function showFile(file: ReadFile): string {
  if (file.size === 0) return "[empty file]"
  const isWhole = file.text !== undefined && file.bytes === file.size
  return showLines(file.text ?? file.base64, !isWhole && `[${describePiece(file)}]`)
}

function describePiece(file: ReadFile): string {
  const { encoding, offset, bytes, size, start_line: first, end_line: last, total_lines } = file
  const total = total_lines === undefined ? "" : ` of ${total_lines}`
  const parts = [
    encoding === "base64" && "base64",
    first !== undefined && `lines ${first} to ${last}${total}`,
    `bytes ${offset} to ${offset + bytes} of ${size}`,
    file.truncated && "less than was asked for",
    file.next_start_line !== undefined && `next_start_line ${file.next_start_line}`,
    file.next_offset !== undefined && `next_offset ${file.next_offset}`,
  ]
  return parts.filter(Boolean).join("; ")
}
