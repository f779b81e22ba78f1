import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import type { FailureDetails, Success } from "../envelope/envelope.ts"
import type { ToolResult } from "../envelope/returned-answer.ts"
import type { InputCheck } from "../input/check-input.ts"
import type { Dispatch } from "../payloads/payload.ts"
import type { InferSchema, InferSent, JsonSchema } from "../schema/json-schema.ts"
import type { OutputChunk, Workspace } from "../workspace/workspace.ts"

/** What a running tool is given beside its input. */
export interface CallContext {
  readonly callId: string
  readonly tool: string
  /** The calling agent and the provider of its model, where the call names them. */
  readonly agent?: string | undefined
  readonly provider?: string | undefined
  /** The session that the call is made in. */
  readonly session: CallSession
  /** Aborts when the deadline passes, the caller gives up or a person ends the call. */
  readonly signal: AbortSignal
  /** Aborts when a person ends the call; a tool may then still answer with what it has. */
  readonly terminated: AbortSignal
  /** The sandbox the call is bound to, made on first use. Fails the call when there is none. */
  workspace(): Promise<Workspace>
  /** Does in that sandbox what a payload says; ends with the call unless it brings a signal of its own. */
  readonly dispatch: Dispatch
  /** Shows output while the tool is still running. */
  output(chunk: OutputChunk): void
  /** Adds a note to the envelope that the model should read. */
  warn(message: string): void
}

/** A session as its tools see it. */
export interface CallSession {
  readonly name: string
  /** What has been recorded in it, the oldest first, or from `before` backwards; nothing where it is not recorded. */
  entries(query?: SessionEntryQuery): Promise<readonly SessionEntry[]>
}

export interface SessionEntryQuery {
  readonly after?: number | undefined
  readonly before?: number | undefined
  readonly limit?: number | undefined
}

/** An entry of a session's record. */
export interface SessionEntry {
  readonly id: string
  readonly sequence: number
  readonly parent: number | null
  readonly kind: string
  readonly at: number
  readonly body: unknown
}

/** What a call of the tool may do, for policy and for clients that show it. */
export type Effect = "read" | "write" | "execute" | "network"

/** A path that a call uses: writers of one path wait for each other, readers run together. */
export interface PathUse {
  readonly path: string
  readonly mode: "read" | "write"
}

/** How a result is shown to a person. */
export interface ResultView {
  /** The output was shown while the call ran. */
  readonly outputShown: boolean
  /** The exit code is shown apart. */
  readonly endShown: boolean
}

/** A tool as the rest of Toolkeep sees it. Made by `defineTool`, never by hand. */
export interface Tool<Name extends string = string, Input = unknown, Result = unknown> {
  readonly name: Name
  readonly title: string
  readonly description: string
  /** Exactly what the model sees and what is enforced. */
  readonly inputSchema: JsonSchema
  readonly check: InputCheck
  /** The schema of a successful result, where the tool declares one. */
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
  /** The sandboxes that its paths are in, where they start at their homes; else that is the call's own, and its directory. */
  readonly pathSandboxes?: ((input: never) => readonly string[]) | undefined
  /** What to install or to configure before the tool can run, as a sentence; null when it can. */
  readonly unavailableReason: () => string | null
  /** The author's own schema, where it was not JSON Schema: it may refine and transform. */
  readonly standard: StandardSchemaV1 | null
  readonly run: (input: never, context: CallContext) => unknown
  /** The result as a text for people and models; null where its `text` or its JSON is that. */
  readonly show: ((result: never, view: ResultView) => string) | null
  /** For the compiler only: what a caller sends and gets. */
  readonly types?: { readonly input: Input; readonly result: Result }
}

/** What models, clients and people read about a tool. */
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

export type ToolSchema = JsonSchema | DescribedSchema

/** What `run` gets: defaults are filled in, and the author's own schema has refined it. */
export type InferInput<Schema extends ToolSchema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : InferSchema<Schema>

/** What a caller may send: what has a default can be left out. */
type InferCallInput<Schema extends ToolSchema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<Schema>
  : InferSent<Schema>

/** What the output schema says; without one, nobody knows. */
type InferResult<Output> = Output extends ToolSchema ? InferInput<Output> : unknown

/** What `run` may return in place of its result: an envelope, whose tool is filled in, or a ToolResult. */
export type ReturnedAnswer =
  | Pick<Success, "ok" | "result" | "warnings">
  | ({ readonly ok: false } & FailureDetails)
  | ToolResult

/** What `run` may return: the same, whose lists and objects may be constants. */
export type Returned<Output> = ReadonlyDeep<InferResult<Output>>

type ReadonlyDeep<Value> = unknown extends Value
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> }
    : Value

/** The tool that a definition makes. */
export type DefinedTool<Name extends string, Input extends ToolSchema, Output> = Tool<
  Name,
  InferCallInput<Input>,
  InferResult<Output>
>

/** What an author writes. */
export interface ToolDefinition<
  Name extends string = string,
  Input extends ToolSchema = ToolSchema,
  Output extends ToolSchema | undefined = ToolSchema | undefined,
  Result = Returned<Output>,
> {
  /** Dotted family and verb, such as "git.status". */
  readonly name: Name
  readonly title?: string
  readonly description: string
  /** JSON Schema, zod or any Standard Schema. */
  readonly input: Input
  /** The schema of what `run` resolves to. */
  readonly output?: Output
  readonly groups?: readonly string[]
  readonly effects?: readonly Effect[]
  /** Milliseconds; null for a tool that ends its own work. 120 seconds when absent. */
  readonly timeoutMs?: number | null
  /** The arguments that are paths in the sandbox, such as ["path"] or ["edits[].path"]. */
  readonly pathArguments?: readonly string[]
  /** The paths that a call uses: for order among calls, and for rules on paths that no argument holds alone. */
  readonly paths?: (input: InferInput<Input>) => readonly PathUse[]
  readonly sandbox?: (input: InferInput<Input>) => string | undefined
  /** For a tool with paths in sandboxes that its arguments name: those sandboxes. The paths start at their homes. */
  readonly pathSandboxes?: (input: InferInput<Input>) => readonly string[]
  readonly unavailableReason?: () => string | null
  readonly run: (
    input: InferInput<Input>,
    context: CallContext,
  ) => Result | ReturnedAnswer | Promise<Result | ReturnedAnswer>
  /** The result as a text for people and models. Without it: its `text`, or its JSON. */
  readonly show?: (result: InferResult<Output>, view: ResultView) => string
}

/**
 * The name that model providers accept: letters, digits, "_" and "-". The registry keeps both names
 * and refuses two tools that would look alike here, so the way back is always clear.
 */
export function apiNameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_")
}
