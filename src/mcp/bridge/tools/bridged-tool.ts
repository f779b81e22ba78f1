import type { ServerSpec } from "../../../config/index.ts"
import {
  type CallContext,
  DefinitionError,
  defineTool,
  type Effect,
  type JsonSchema,
  limits,
  mayHaveField,
  type Tool,
} from "../../../contract/index.ts"
import { cleanText } from "../config/clean-text.ts"
import type { ListedTool } from "../connection/read-tool-list.ts"
import { bridgedName } from "./bridged-name.ts"
import { fitSchema } from "./fit-schema.ts"
import { headerProblem } from "./header-problem.ts"

export type DefinedTool =
  | { readonly kind: "defined"; readonly tool: Tool }
  | { readonly kind: "unfit"; readonly why: string }

export interface ToolDoor {
  readonly run: (listed: ListedTool, input: never, context: CallContext) => Promise<unknown>
  readonly missing: (listed: ListedTool) => string | null
}

/** What a server says about its own tools is no promise, so all of them may do whatever it can. */
const effects: Readonly<Record<ServerSpec["kind"], readonly Effect[]>> = {
  http: ["read", "write", "network"],
  stdio: ["read", "write", "execute", "network"],
  sandboxed: ["execute"],
}

/** A server's tool as one of ours, or why it can't be one. */
export function bridgedTool(server: ServerSpec, listed: ListedTool, door: ToolDoor): DefinedTool {
  const fitted = fitSchema(listed.inputSchema)
  if (!fitted.ok) return { kind: "unfit", why: fitted.reason }
  const problem = server.kind === "http" ? headerProblem(listed.inputSchema) : null
  if (problem !== null) return { kind: "unfit", why: problem }
  const define = (inputSchema: JsonSchema) =>
    defineTool({
      name: bridgedName(server.name, listed.name),
      ...titleOf(listed),
      description: descriptionOf(server, listed),
      input: inputSchema,
      groups: ["mcp"],
      effects: effects[server.kind],
      pathArguments: (server.paths ?? []).filter((field) => mayHaveField(inputSchema, field)),
      unavailableReason: () => door.missing(listed),
      run: (input, context) => door.run(listed, input as never, context),
    })
  try {
    return { kind: "defined", tool: define(fitted.schema) }
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    return withoutDefaults(define, fitted.schema)
  }
}

/** A default that its own schema refuses is a common slip, and the server fills in its own anyway. */
function withoutDefaults(define: (schema: JsonSchema) => Tool, schema: JsonSchema): DefinedTool {
  const text = JSON.stringify(schema, (key, value) => (key === "default" ? undefined : value))
  try {
    return { kind: "defined", tool: define(JSON.parse(text)) }
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    return { kind: "unfit", why: error.message }
  }
}

function titleOf({ title, annotations }: ListedTool): { readonly title?: string } {
  const given = typeof title === "string" ? title : (annotations as { title?: unknown })?.title
  const clean = typeof given === "string" ? cleanText(given, limits.bridge.titleCharacters) : ""
  return clean === "" ? {} : { title: clean }
}

function descriptionOf({ name }: ServerSpec, { description, name: tool }: ListedTool): string {
  const given = typeof description === "string" ? description : ""
  const clean = cleanText(given, limits.bridge.descriptionBytes)
  return (
    clean ||
    `The tool ${JSON.stringify(cleanText(tool, 100))} of the MCP server ${JSON.stringify(name)}.`
  )
}
