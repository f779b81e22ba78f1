import type { JsonSchema } from "../contract/index.ts"
import type { Artifact } from "../store/index.ts"

/** An artifact in a result, for people to find. */
export function artifactResult({ id, filename, mimeType, size, path }: Artifact) {
  return { id, filename, mime_type: mimeType, size, path }
}

export const artifactSchema: JsonSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    filename: { type: "string" },
    mime_type: { type: "string" },
    size: { type: "integer" },
    path: { type: "string" },
  },
  required: ["id", "filename", "mime_type", "size", "path"],
  additionalProperties: false,
}
