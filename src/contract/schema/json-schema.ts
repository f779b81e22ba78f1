/** A JSON Schema as data. `const` objects of this shape give a tool's input its type. */
export interface JsonSchema {
  readonly $schema?: string
  readonly $ref?: string
  readonly $defs?: { readonly [name: string]: JsonSchema }
  readonly definitions?: { readonly [name: string]: JsonSchema }
  readonly type?: SchemaType | readonly SchemaType[]
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: boolean | JsonSchema | readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly [keyword: string]: unknown
}

export type SchemaType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null"

/** The type of the values that a schema written as a literal accepts, with its defaults filled in. */
export type InferSchema<Schema> = Infer<Schema, "filled">

/** The same as it may be sent: a property with a default can be left out. */
export type InferSent<Schema> = Infer<Schema, "sent">

type Defaults = "filled" | "sent"

type Infer<Schema, Form extends Defaults> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Branch)[] }
      ? Infer<Branch, Form>
      : Schema extends { readonly oneOf: readonly (infer Branch)[] }
        ? Infer<Branch, Form>
        : Schema extends { readonly type: infer Type }
          ? InferTyped<Schema, Type, Form>
          : unknown

type InferTyped<Schema, Type, Form extends Defaults> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? InferArray<Schema, Form>
          : Type extends "object"
            ? InferObject<Schema, Form>
            : Type extends readonly (infer One)[]
              ? InferTyped<Schema, One, Form>
              : unknown

type InferArray<Schema, Form extends Defaults> = Schema extends { readonly items: infer Items }
  ? readonly Infer<Items, Form>[]
  : readonly unknown[]

type InferObject<Schema, Form extends Defaults> = Schema extends {
  readonly properties: infer Properties
}
  ? Flatten<
      {
        readonly [Key in Present<Schema, Properties, Form>]: Infer<Properties[Key], Form>
      } & {
        readonly [Key in Exclude<keyof Properties, Present<Schema, Properties, Form>>]?: Infer<
          Properties[Key],
          Form
        >
      }
    >
  : Schema extends { readonly additionalProperties: infer Values extends JsonSchema }
    ? Readonly<Record<string, Infer<Values, Form>>>
    : Schema extends { readonly patternProperties: { readonly [pattern: string]: infer Values } }
      ? Readonly<Record<string, Infer<Values, Form>>>
      : Readonly<Record<string, unknown>>

/** A property with a default is always there by the time a tool runs. */
type Present<Schema, Properties, Form extends Defaults> = keyof {
  [Key in keyof Properties as Key extends RequiredOf<Schema>
    ? Key
    : Form extends "filled"
      ? Properties[Key] extends { readonly default: unknown }
        ? Key
        : never
      : never]: true
} &
  keyof Properties

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? Name
  : never

type Flatten<Value> = { [Key in keyof Value]: Value[Key] }
