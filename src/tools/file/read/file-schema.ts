import type { JsonSchema } from "../../../contract/index.ts"

/** What reading a file answers with. */
export const fileSchema: JsonSchema = {
  type: "object",
  properties: {
    kind: { const: "file" },
    path: { type: "string" },
    encoding: { enum: ["utf8", "base64"] },
    text: { type: "string" },
    base64: { type: "string" },
    size: { type: "integer", description: "The whole file's, in bytes." },
    offset: { type: "integer", description: "Where the piece starts, in bytes." },
    bytes: { type: "integer", description: "How long the piece is." },
    start_line: { type: "integer" },
    end_line: { type: "integer" },
    total_lines: { type: "integer", description: "Only when the end was reached." },
    truncated: { type: "boolean", description: "Less than what was asked for." },
    next_offset: { type: "integer" },
    next_start_line: { type: "integer" },
  },
  required: ["kind", "path", "encoding", "size", "offset", "bytes", "truncated"],
  additionalProperties: false,
}
