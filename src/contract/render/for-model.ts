import type { Envelope } from "../envelope/envelope.ts"
import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { apiNameOf, type Tool } from "../tool/tool.ts"

/** What a model reads: tool names as its list shows them, and no path of this machine. */
export function createForModel(isTool: (name: string) => boolean) {
  const described = new WeakMap<Tool, Tool>()
  const text = (said: string) =>
    said.replaceAll(dottedName, (name) => (isTool(name) ? apiNameOf(name) : name))

  return {
    /** The tool with these names in its descriptions. A tool never changes, so that is done once. */
    tool(tool: Tool): Tool {
      const known = described.get(tool)
      if (known) return known
      const renamed = {
        ...tool,
        description: text(tool.description),
        inputSchema: readSchema(tool.inputSchema, text),
        outputSchema: readSchema(tool.outputSchema, text),
      }
      described.set(tool, renamed)
      return renamed
    },
    /** The answer with these names in its messages and warnings. What a tool found or read stays as it is. */
    envelope(envelope: Envelope): Envelope {
      const tool = apiNameOf(envelope.tool)
      if (envelope.ok) {
        const { result, warnings } = envelope
        const seen = withoutHostPaths(result)
        return { ok: true, tool, result: seen, ...(warnings && { warnings: warnings.map(text) }) }
      }
      const { message, expected } = envelope
      const wanted = expected === undefined ? {} : { expected: text(expected) }
      return { ...envelope, message: text(message), ...wanted, tool }
    },
  }
}

/** "process.kill" or "mcp:server:tool", but no part of a path or of a longer name. */
const dottedName = /(?<![\w./:-])[A-Za-z][\w-]*(?:[.:][\w-]+)+(?![\w/-]|[.:]\w)/g

/** Values that a schema holds, which are no schemas. */
const values = new Set(["default", "const", "enum", "examples"])

function readSchema<Schema>(schema: Schema, text: (said: string) => string): Schema {
  if (Array.isArray(schema)) return schema.map((part) => readSchema(part, text)) as Schema
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema).map(([key, part]) => {
    if (key === "description" && typeof part === "string") return [key, text(part)]
    return [key, values.has(key) ? part : readSchema(part, text)]
  })
  const seen: JsonSchema = Object.fromEntries(entries)
  return (isArtifactSchema(seen) ? withoutPath(seen) : seen) as Schema
}

function isArtifactSchema({ properties = {} }: JsonSchema): boolean {
  return "id" in properties && "filename" in properties && "path" in properties
}

function withoutPath({ properties, required, ...schema }: JsonSchema): JsonSchema {
  const { path: _path, ...seen } = properties ?? {}
  return { ...schema, properties: seen, required: (required ?? []).filter((one) => one !== "path") }
}

/** How deep in a result artifacts are looked for. */
const deepest = 4

/** A file for the person is on this machine, where no tool can read it: only a program gets its path. */
function withoutHostPaths(value: unknown, depth = 0): unknown {
  if (depth > deepest || typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    const parts = value.map((part) => withoutHostPaths(part, depth + 1))
    return parts.every((part, index) => part === value[index]) ? value : parts
  }
  if (isArtifact(value)) {
    const { path: _path, ...seen } = value
    return seen
  }
  const entries = Object.entries(value)
  const parts = entries.map(([key, part]) => [key, withoutHostPaths(part, depth + 1)] as const)
  const isSame = parts.every(([, part], index) => part === entries[index]?.[1])
  return isSame ? value : Object.fromEntries(parts)
}

function isArtifact(value: object): value is Record<string, unknown> {
  return (
    "id" in value &&
    typeof value.id === "string" &&
    value.id.startsWith("artifact_") &&
    "filename" in value &&
    "path" in value
  )
}
