import type { JsonSchema } from "./json-schema.ts"

/** What schemas are built with: the same JSON Schema everywhere, with the type that it describes. */

type Fields = Readonly<Record<string, JsonSchema>>

type NameOf<Key> = Key extends `${infer Name}?` ? Name : Key

/** Those that are always sent: without a "?" in their name and without a default. */
type RequiredOf<Of extends Fields> = {
  [Key in keyof Of & string]: Key extends `${string}?`
    ? never
    : Of[Key] extends { readonly default: unknown }
      ? never
      : Key
}[keyof Of & string]

export type ClosedObject<Of extends Fields> = {
  readonly type: "object"
  readonly properties: { readonly [Key in keyof Of as NameOf<Key>]-?: Of[Key] }
  readonly required: readonly RequiredOf<Of>[]
  readonly additionalProperties: false
}

/** An object with these fields and no others. Optional are those whose name ends with "?", and those with a default. */
export function object<const Of extends Fields>(fields: Of): ClosedObject<Of>
export function object(fields: Fields): JsonSchema {
  const entries = Object.entries(fields)
  const isRequired = ([key, schema]: [string, JsonSchema]) =>
    !key.endsWith("?") && !("default" in schema)
  const required = entries.filter(isRequired).map(([key]) => key)
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([key, schema]) => [
        key.replace(/\?$/, ""),
        isRequired([key, schema]) ? schema : withoutNeedlessLength(schema),
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/** Blank text for an optional argument is left out before anything is checked. */
function withoutNeedlessLength({ minLength, ...schema }: JsonSchema): JsonSchema {
  return minLength === undefined || minLength === 1 ? schema : { minLength, ...schema }
}

type Described<Type> = {
  readonly type: Type
  readonly description: string
}

/** A text argument; not empty unless `more` has a minLength of 0. */
export function text(description: string): Described<"string">
export function text<const More extends JsonSchema>(
  description: string,
  more: More,
): Described<"string"> & More
export function text(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: "string", minLength: 1, ...more, description }
}

/** For a text argument that may be blank, such as the white space that an edit replaces, but not empty. */
export const mayBeBlank = { pattern: "[\\s\\S]" } as const

/** An argument that is a whole number within bounds. */
export function integer<const Bounds extends JsonSchema>(
  description: string,
  bounds: Bounds,
): Described<"integer"> & Bounds {
  return { type: "integer", ...bounds, description }
}

/** An argument that is one of these words; the first when it is absent. */
export function choice<const First extends string, const Others extends readonly string[]>(
  values: readonly [First, ...Others],
  description: string,
) {
  const [first] = values
  return { type: "string", enum: values, default: first, description } as const
}

/** An argument that is true or false; false when it is absent. */
export function flag(description: string) {
  return { type: "boolean", default: false, description } as const
}

/**
 * The schema without the properties that a host can't honour. Only optional properties may be named,
 * so that the input's type stays true: what is left out is simply never given.
 */
export function withoutProperties<Schema extends JsonSchema>(
  schema: Schema,
  names: readonly string[],
): Schema {
  const kept = Object.entries(schema.properties ?? {}).filter(([name]) => !names.includes(name))
  return { ...schema, properties: Object.fromEntries(kept) }
}
