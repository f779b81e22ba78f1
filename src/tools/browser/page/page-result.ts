import type { InferSchema, JsonSchema } from "../../../contract/index.ts"
import { artifactSchema } from "../../artifact-result.ts"

const properties = {
  kind: { const: "page" },
  url: { type: "string" },
  title: { type: "string" },
  tab: { type: "integer" },
  console_errors: { type: "integer" },
  downloads: { type: "array", items: artifactSchema },
} as const

const required = ["kind", "url", "title", "tab", "console_errors"] as const

/** What is on the screen after a call. */
export const pageSchema = {
  type: "object",
  properties,
  required,
  additionalProperties: false,
} as const satisfies JsonSchema

/** A page that was just opened: also what the server said, and the top of its snapshot. */
export const openedPageSchema = {
  type: "object",
  properties: {
    ...properties,
    status: { type: ["integer", "null"] },
    tree: { type: "string" },
  },
  required: [...required, "status"],
  additionalProperties: false,
} as const satisfies JsonSchema

export type PageResult = InferSchema<typeof pageSchema>
