import { errorText, nearest } from "../../kit/index.ts"
import { mayHaveField } from "../input/argument-field.ts"
import { checkSchema, placeOf } from "../schema/check-schema.ts"
import { DefinitionError } from "../schema/definition-error.ts"
import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { childSchemas, type SchemaNode } from "../schema/schema-walk.ts"
import { compileOutput } from "../validate/check-output.ts"
import { refusedDefault } from "../validate/compile-schema.ts"

export const knownFields: readonly string[] = [
  "name",
  "title",
  "description",
  "input",
  "output",
  "groups",
  "effects",
  "timeoutMs",
  "pathArguments",
  "paths",
  "sandbox",
  "pathSandboxes",
  "unavailableReason",
  "run",
  "show",
]
const functionFields: Readonly<Record<string, string>> = {
  paths: "from the input to the paths that a call uses",
  sandbox: "from the input to the name of the sandbox that a call uses",
  pathSandboxes: "from the input to the names of the sandboxes that its paths are in",
  unavailableReason: "that says why the tool can't run, or null",
  show: "from a result to a text",
}
const effects: readonly unknown[] = ["read", "write", "execute", "network"]
const namePattern = /^[A-Za-z][A-Za-z0-9_-]*([.:][A-Za-z0-9_-]+)*$/
const longestName = 64

interface DescribedSchemas {
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema | null
}

/** Throws a DefinitionError for whatever could not keep its word once a model sees it. */
export function checkDefinition(
  definition: object,
  { inputSchema, outputSchema }: DescribedSchemas,
): void {
  const fields: Record<string, unknown> = { ...definition }
  const tool = typeof fields.name === "string" ? `Tool ${JSON.stringify(fields.name)}` : "The tool"
  const fail = (problem: string): never => {
    throw new DefinitionError(`${tool}: ${problem}`)
  }

  for (const field of Object.keys(fields)) {
    if (knownFields.includes(field)) continue
    const close = nearest(field, knownFields)
    fail(
      `a definition has no field ${JSON.stringify(field)}${close ? `; did you mean "${close}"?` : "."}`,
    )
  }
  if (typeof fields.name !== "string" || !namePattern.test(fields.name)) {
    fail('the name must be words joined by "." or ":", such as "git.status".')
  } else if (fields.name.length > longestName) {
    fail(`the name is longer than ${longestName} characters.`)
  }
  if (typeof fields.description !== "string" || fields.description.trim() === "") {
    fail("the description is missing; a model chooses tools by it.")
  }
  if (fields.title !== undefined && typeof fields.title !== "string") fail("`title` must be text.")
  if (typeof fields.run !== "function") fail("`run` must be a function.")
  for (const [field, what] of Object.entries(functionFields)) {
    if (fields[field] === undefined || typeof fields[field] === "function") continue
    fail(`\`${field}\` must be a function ${what}.`)
  }
  if (outputSchema !== null && !isObject(outputSchema)) {
    fail("`output` must be a JSON Schema or a Standard Schema.")
  }
  if (!isStringList(fields.groups)) fail("`groups` must be a list of names.")
  if (
    !isStringList(fields.effects) ||
    fields.effects?.some((effect) => !effects.includes(effect))
  ) {
    fail(`\`effects\` must be a list out of ${effects.join(", ")}.`)
  }
  const { timeoutMs = null } = fields
  if (timeoutMs !== null && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    fail("`timeoutMs` must be a number above 0, or null for a tool that ends its own work.")
  }
  if (!isObject(inputSchema)) fail("`input` must be a JSON Schema or a Standard Schema.")
  const problem = checkSchema(inputSchema) ?? tryInput(inputSchema)
  if (problem) fail(problem)
  if (outputSchema) tryOutput(outputSchema, fail)
  const { pathArguments } = fields
  if (!isStringList(pathArguments)) fail("`pathArguments` must be a list of names.")
  else {
    const unknown = pathArguments?.find((field) => !mayHaveField(inputSchema, field))
    if (unknown === undefined) return
    fail(`\`pathArguments\` names ${JSON.stringify(unknown)}, which is not an argument.`)
  }
}

/**
 * What shows only when the schema is compiled, which takes a millisecond: names that nothing leads to, and defaults that
 * the schema refuses. A schema without references and defaults has none of them.
 */
function tryInput(root: JsonSchema): string | null {
  const nodes: SchemaNode[] = [{ schema: root, pointer: [] }]
  for (const node of nodes) nodes.push(...childSchemas(node))
  const isPlain = nodes.every(({ schema }) => tried.every((key) => schema[key] === undefined))
  if (isPlain) return null
  try {
    const refused = refusedDefault(root, nodes)
    return refused && `${placeOf(refused)}.default is not a value that the schema itself accepts.`
  } catch (error) {
    if (error instanceof DefinitionError) return error.message
    throw error
  }
}

const tried = ["$ref", "$anchor", "default"]

function tryOutput(schema: JsonSchema, fail: (problem: string) => never): void {
  try {
    compileOutput(schema)
  } catch (error) {
    fail(errorText(error))
  }
}

function isStringList(value: unknown): value is readonly string[] | undefined {
  return (
    value === undefined || (Array.isArray(value) && value.every((one) => typeof one === "string"))
  )
}
