import type { JsonSchema } from "../../../contract/index.ts"

/** What a directory answers with. */
export const listingSchema: JsonSchema = {
  type: "object",
  properties: {
    kind: { const: "listing" },
    path: { type: "string" },
    entries: {
      type: "array",
      items: {
        type: "object",
        properties: {
          name: { type: "string" },
          path: { type: "string", description: "Ready to be the next call's argument." },
          type: { enum: ["file", "directory", "symlink", "other"] },
        },
        required: ["name", "path", "type"],
        additionalProperties: false,
      },
    },
    entry_count: { type: "integer", description: "Of the entries in this answer." },
    truncated: { type: "boolean", description: "There are more." },
  },
  required: ["kind", "path", "entries", "entry_count", "truncated"],
  additionalProperties: false,
}
