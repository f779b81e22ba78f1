/** A field of a form, as a JSON Schema asks for it. */
export type FormField = FieldFacts &
  (
    | { readonly kind: "text" | "secret" | "switch" | "json" }
    | {
        readonly kind: "number"
        readonly step: 1 | "any"
        readonly min?: number
        readonly max?: number
      }
    | { readonly kind: "choice"; readonly choices: readonly unknown[] }
    | { readonly kind: "list"; readonly item: FormField }
    | { readonly kind: "object"; readonly fields: readonly FormField[] }
  )

interface FieldFacts {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  /** What the server takes where nothing is given. */
  readonly byDefault: unknown
}

type Schema = Readonly<Record<string, unknown>>

/** Deeper objects are written as JSON. */
const deepest = 3

/** What has no field of its own, such as a choice between objects, is written as JSON. */
export function formField(name: string, given: unknown, isRequired: boolean, depth = 0): FormField {
  const schema = withoutNull(asSchema(given))
  const description = typeof schema.description === "string" ? schema.description : ""
  const facts = { name, description, isRequired, byDefault: schema.default }
  if (Array.isArray(schema.enum)) return { ...facts, kind: "choice", choices: schema.enum }
  if ("const" in schema) return { ...facts, kind: "choice", choices: [schema.const] }
  switch (schema.type) {
    case "string": {
      const isSecret = schema.writeOnly === true || schema.format === "password"
      return { ...facts, kind: isSecret ? "secret" : "text" }
    }
    case "boolean":
      return { ...facts, kind: "switch" }
    case "integer":
    case "number":
      return { ...facts, kind: "number", ...numberFacts(schema) }
    case "array": {
      const item = formField("", schema.items, true, depth + 1)
      return item.kind === "json" ? { ...facts, kind: "json" } : { ...facts, kind: "list", item }
    }
    case "object": {
      const fields = fieldsOf(schema, depth + 1)
      const hasForm = depth < deepest && fields.length > 0
      return hasForm ? { ...facts, kind: "object", fields } : { ...facts, kind: "json" }
    }
    default:
      return { ...facts, kind: "json" }
  }
}

/** The fields of a tool's input, those that it needs first. */
export function fieldsOf(given: unknown, depth = 0): readonly FormField[] {
  const schema = asSchema(given)
  const required = Array.isArray(schema.required) ? schema.required : []
  const fields = Object.entries(asSchema(schema.properties)).map(([name, property]) =>
    formField(name, property, required.includes(name), depth),
  )
  return [...fields.filter((one) => one.isRequired), ...fields.filter((one) => !one.isRequired)]
}

/** A value with one of its parts replaced; undefined removes it. */
export function withPart(value: unknown, name: string, part: unknown): Schema {
  const { [name]: _, ...others } = asSchema(value)
  return part === undefined ? others : { ...asSchema(value), [name]: part }
}

function numberFacts({ type, minimum, maximum }: Schema) {
  return {
    step: type === "integer" ? (1 as const) : ("any" as const),
    ...(typeof minimum === "number" && { min: minimum }),
    ...(typeof maximum === "number" && { max: maximum }),
  }
}

/** What may be null may be left out in a form. */
function withoutNull(schema: Schema): Schema {
  const { type, anyOf, ...rest } = schema
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== "null")
    return types.length === 1 ? { ...rest, type: types[0] } : rest
  }
  if (!Array.isArray(anyOf)) return schema
  const branches = anyOf.filter((one) => asSchema(one).type !== "null")
  return branches.length === 1 ? { ...asSchema(branches[0]), ...rest } : rest
}

function asSchema(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : {}
}
