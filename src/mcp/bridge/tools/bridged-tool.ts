import type { ServerSpec } from "../../../config/index.ts"
import {
  type CallContext,
  DefinitionError,
  defineTool,
  type Effect,
  isObject,
  type JsonSchema,
  mayHaveField,
  type Tool,
} from "../../../contract/index.ts"
import { sha256 } from "../../../node/index.ts"
import { bridgeLimits } from "../../limits.ts"
import { cleanText } from "../connection/clean-text.ts"
import { headerName } from "../connection/http-transport.ts"
import type { ListedTool } from "../connection/read-tool-list.ts"
import { showBridged } from "./bridged-result.ts"
import { fitSchema } from "./fit-schema.ts"

export type DefinedTool =
  | { readonly kind: "defined"; readonly tool: Tool }
  | { readonly kind: "unfit"; readonly why: string }

export interface ToolRunner {
  readonly run: (listed: ListedTool, input: never, context: CallContext) => Promise<unknown>
  readonly unavailableReason: (listed: ListedTool) => string | null
}

/** A server's own annotations are not trusted: each tool may do whatever the server can. */
const effects: Readonly<Record<ServerSpec["kind"], readonly Effect[]>> = {
  http: ["read", "write", "network"],
  stdio: ["read", "write", "execute", "network"],
  sandboxed: ["execute"],
}

/** A server's tool as one of ours, or why it can't be one. */
export function bridgedTool(
  server: ServerSpec,
  listed: ListedTool,
  runner: ToolRunner,
): DefinedTool {
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
      unavailableReason: () => runner.unavailableReason(listed),
      run: (input, context) => runner.run(listed, input as never, context),
      show: showBridged,
    })
  try {
    return { kind: "defined", tool: define(fitted.schema) }
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    return withoutDefaults(define, fitted.schema)
  }
}

/** A default that its own schema refuses is a common mistake, and the server fills in its own anyway. */
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
  const clean = typeof given === "string" ? cleanText(given, bridgeLimits.titleCharacters) : ""
  return clean === "" ? {} : { title: clean }
}

function descriptionOf({ name }: ServerSpec, { description, name: tool }: ListedTool): string {
  const given = typeof description === "string" ? description : ""
  const clean = cleanText(given, bridgeLimits.descriptionBytes)
  return (
    clean ||
    `The tool ${JSON.stringify(cleanText(tool, 100))} of the MCP server ${JSON.stringify(name)}.`
  )
}

/** How long a tool's name may be. */
const longest = 64

/**
 * The name of a server's tool in a session: `mcp:server:tool`. Characters that names can't have become "_", and the
 * end of a name that is too long becomes a part of its hash.
 */
export function bridgedName(server: string, tool: string): string {
  const start = `mcp:${server}:`
  const plain = tool
    .replaceAll(/[^A-Za-z0-9_.-]/g, "_")
    .replaceAll(/\.(?=\.|$)/g, "_")
    .replace(/^\./, "_")
  if (start.length + plain.length <= longest && plain !== "") return start + plain
  const hash = sha256(tool).slice(0, 8)
  return `${start}${plain.slice(0, longest - start.length - 9)}_${hash}`.replace("._", "__")
}

const annotation = "x-mcp-header"

const plainTypes: readonly unknown[] = ["string", "integer", "boolean"]

/**
 * A tool of a server over HTTP may want arguments repeated as headers, for routing. One that asks for impossible
 * headers must not be called: this is why, as a sentence, or null.
 */
function headerProblem(inputSchema: unknown): string | null {
  const names = new Set<string>()
  const waiting: { readonly schema: unknown; readonly isArgument: boolean }[] = [
    { schema: inputSchema, isArgument: false },
  ]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { schema, isArgument } = next
    if (Array.isArray(schema)) waiting.push(...schema.map((one) => ({ schema: one, isArgument })))
    if (!isObject(schema)) continue
    const problem = annotation in schema ? problemOf(schema, isArgument, names) : null
    if (problem !== null) return problem
    for (const [keyword, value] of Object.entries(schema)) {
      const isNamed = keyword === "properties" && isObject(value)
      const inner = isNamed ? Object.values(value) : [value]
      waiting.push(...inner.map((one) => ({ schema: one, isArgument: isNamed })))
    }
  }
  return null
}

function problemOf(
  schema: Record<string, unknown>,
  isArgument: boolean,
  names: Set<string>,
): string | null {
  const name = schema[annotation]
  if (!isArgument) return "It wants something repeated as a header that is not an argument."
  if (typeof name !== "string" || !headerName.test(name)) {
    return "It wants an argument repeated as a header with an invalid name."
  }
  if (!plainTypes.includes(schema.type)) {
    return `It wants the header ${name} for an argument that is not a text, whole number or boolean.`
  }
  const key = name.toLowerCase()
  if (names.has(key)) return `It wants two arguments repeated as the header ${name}.`
  names.add(key)
  return null
}
