import { Ajv, type ErrorObject, type Options } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { draft07 } from "./check-schema.ts"
import { DefinitionError } from "./definition-error.ts"
import type { JsonSchema } from "./json-schema.ts"
import { followReference, mapSchemas, type Pointer, pointerText } from "./schema-walk.ts"

export interface CompiledSchema {
  /** The first problem Ajv finds (for `anyOf`, one per branch), or null for a valid value. */
  readonly problems: (value: unknown) => readonly ErrorObject[] | null
  /** Does the schema at this place accept the value? Compiled on first use. */
  readonly accepts: (pointer: Pointer, value: unknown) => boolean
}

const options: Options = {
  strict: true,
  // A key that only a prototype has does not count: `{}` has no "constructor".
  ownProperties: true,
  allowUnionTypes: true,
  strictRequired: false,
  strictTuples: false,
  // Definitions are checked by checkSchema; compiling the meta-schema would cost 40 ms at the start.
  validateSchema: false,
  meta: false,
  addUsedSchema: false,
  verbose: true,
  logger: false,
}

const id = "toolkeep:input"

/** Compiles a tool's input schema. Each has its own Ajv, so that it can be forgotten with its tool. */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const ajv = createAjv(schema)
  const { $schema: _dialect, $id: _id, ...rest } = markBlankable(schema)
  try {
    ajv.addSchema({ ...rest, $id: id })
    const validate = ajv.getSchema(id)
    if (!validate) throw new Error("Ajv did not keep the schema.")
    return {
      problems: (value) => (validate(value) ? null : (validate.errors ?? [])),
      accepts: (pointer, value) =>
        ajv.getSchema(`${id}#${encodeURI(pointerText(pointer))}`)?.(value) === true,
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DefinitionError(`The input schema can't be compiled: ${reason}`, { cause })
  }
}

function createAjv(schema: JsonSchema): Ajv {
  const isDraft07 = schema.$schema?.replace(/#$/, "") === draft07
  const ajv = isDraft07 ? new Ajv(options) : new Ajv2020(options)
  addFormats.default(ajv, { mode: "fast" })
  ajv.addKeyword({
    keyword: notBlank,
    schemaType: "boolean",
    error: { message: "must not be empty" },
    validate: (_schema: boolean, value: unknown) => typeof value !== "string" || /\S/.test(value),
  })
  return ajv
}

/** Models fill optional fields they don't use with "": such a value fails, so that repair drops it. */
export const notBlank = "notBlank"

function markBlankable(root: JsonSchema): JsonSchema {
  return mapSchemas(root, (schema) => {
    if (!schema.properties) return schema
    const properties = Object.entries(schema.properties).map(([name, property]) => {
      const optional = !schema.required?.includes(name)
      const mark = optional && isBlankMeaningless(property, root)
      return [name, mark ? { ...property, [notBlank]: true } : property]
    })
    return { ...schema, properties: Object.fromEntries(properties) }
  })
}

/** An author who writes `"minLength": 0` says that blank text means something. */
export function isBlankMeaningless(schema: JsonSchema, root: JsonSchema): boolean {
  if (typeof schema !== "object") return false
  if (schema.minLength === 0) return false
  const target = schema.$ref === undefined ? undefined : followReference(root, schema.$ref)
  return target?.schema.minLength !== 0
}
