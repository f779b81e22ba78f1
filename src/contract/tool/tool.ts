import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import type { InputCheck } from "../input/check-input.ts"
import type { InferSchema, JsonSchema } from "../schema/json-schema.ts"
import type { CallContext } from "./call-context.ts"

/** What a call of the tool may do, for policy and for clients that show it. */
export type Effect = "read" | "write" | "execute" | "network"

/** A path that a call uses: writers of one path wait for each other, readers run together. */
export interface PathUse {
  readonly path: string
  readonly mode: "read" | "write"
}

/** A tool as the rest of Toolkeep sees it. Made by `defineTool` (Toolkeep's own by `defineOwnTool`), never by hand. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Exactly what the model sees and what is enforced. */
  readonly inputSchema: JsonSchema
  readonly check: InputCheck
  /** What the result of a call that succeeds looks like, where the tool says so. */
  readonly outputSchema: JsonSchema | null
  readonly groups: readonly string[]
  readonly effects: readonly Effect[]
  /** null: the tool opts out of the cap and ends its own work. */
  readonly timeoutMs: number | null
  /** Its arguments that are paths in the sandbox: rules on them judge where they lead, however they are spelled. */
  readonly pathArguments: readonly string[]
  readonly paths: (input: never) => readonly PathUse[]
  /** The sandbox that an input asks for by name; undefined for the one that the call is bound to. */
  readonly sandbox: (input: never) => string | undefined
  /** What to install or to configure before the tool can run, as a sentence; null when it can. */
  readonly missing: () => string | null
  /** The author's own schema, where it was not JSON Schema: it may refine and transform. */
  readonly standard: StandardSchemaV1 | null
  readonly run: (input: never, context: CallContext) => unknown
}

/** What is told about a tool: to a model, to a client, to a person. */
export type ToolDescription = Pick<
  Tool,
  | "name"
  | "title"
  | "description"
  | "inputSchema"
  | "outputSchema"
  | "groups"
  | "effects"
  | "timeoutMs"
>

/** A schema of any library that can describe itself as JSON Schema (zod, arktype, ...). */
export type DescribedSchema = StandardSchemaV1 & StandardJSONSchemaV1

export type InputSchema = JsonSchema | DescribedSchema

export type InferInput<Schema extends InputSchema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : InferSchema<Schema>

/** What an author writes. */
export interface ToolDefinition<Schema extends InputSchema> {
  /** Dotted family and verb, such as "git.status". */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: Schema
  /** A JSON Schema of what `run` resolves to. */
  readonly outputSchema?: JsonSchema
  readonly groups?: readonly string[]
  readonly effects?: readonly Effect[]
  /** Milliseconds; null for a tool that ends its own work. 120 seconds when absent. */
  readonly timeoutMs?: number | null
  /** The arguments that are paths in the sandbox, such as ["path"] or ["edits[].path"]. */
  readonly pathArguments?: readonly string[]
  /** The paths that a call uses: for order among calls, and for rules on paths that no argument holds alone. */
  readonly paths?: (input: InferInput<Schema>) => readonly PathUse[]
  readonly sandbox?: (input: InferInput<Schema>) => string | undefined
  readonly missing?: () => string | null
  readonly run: (input: InferInput<Schema>, context: CallContext) => unknown
}
