import { isObject } from "../../../contract/index.ts"
import { headerName } from "../connection/http-transport.ts"

const annotation = "x-mcp-header"

const plainTypes: readonly unknown[] = ["string", "integer", "boolean"]

/**
 * A tool of a server over HTTP may want arguments repeated as headers, for routing. One that asks for impossible
 * headers must not be called: this is why, as a sentence, or null.
 */
export function headerProblem(inputSchema: unknown): string | null {
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
    return "It wants an argument repeated as a header whose name can't be one."
  }
  if (!plainTypes.includes(schema.type)) {
    return `It wants the header ${name} for an argument that is not a text, whole number or boolean.`
  }
  const key = name.toLowerCase()
  if (names.has(key)) return `It wants two arguments repeated as the header ${name}.`
  names.add(key)
  return null
}
