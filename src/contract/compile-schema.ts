import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { dialectOf } from "./check-schema.ts"
import { DefinitionError } from "./definition-error.ts"
import type { JsonSchema } from "./json-schema.ts"
import { useQuickLengths } from "./length-keywords.ts"
import { type Flag, isMarkingSafe, markKeywords, markSchema } from "./mark-schema.ts"
import { type Pointer, pointerText } from "./schema-walk.ts"

/** Fine: valid as it is. Incomplete: valid, but for missing defaults. Else repair has to look at it. */
export type Judgement = "fine" | "incomplete" | "doubtful"

export interface CompiledSchema {
  readonly judge: (value: unknown) => Judgement
  /** The first problem Ajv finds (for `anyOf`, one per branch), or null for a valid value. */
  readonly problems: (value: unknown) => readonly ErrorObject[] | null
  /** Would the schema at this place find nothing to repair? Compiled on first use. */
  readonly isFineAt: (pointer: Pointer, value: unknown) => boolean
}

const options: Options = {
  strict: true,
  // A branch of a union may lean on the type that stands beside the union.
  strictTypes: false,
  strictRequired: false,
  strictTuples: false,
  // Definitions are checked by checkSchema; compiling the meta-schema would cost 40 ms at the start.
  validateSchema: false,
  meta: false,
  addUsedSchema: false,
  logger: false,
}

const id = "toolkeep:input"

/**
 * Compiles a tool's input schema. Each has its own Ajv, so that it can be forgotten with its tool.
 * The schema with marks is quick and judges all input. The schema itself is compiled and asked only
 * when there is something to repair or to explain.
 */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const flag: Flag = { isRaised: false }
  const marked = createAjv(schema, markSchema(schema), options)
  for (const keyword of markKeywords(flag)) marked.addKeyword(keyword)
  const isMarkedFine = compile(marked)
  let exact: ValidateFunction | null = null
  const isValid = (value: unknown) => {
    // Own properties only: `{}` has no "constructor". Looking that up takes three times as long.
    exact ??= compile(createAjv(schema, schema, { ...options, ownProperties: true, verbose: true }))
    return exact(value)
  }
  const isSafe = isMarkingSafe(schema)
  return {
    judge(value) {
      flag.isRaised = !isSafe
      if (!isMarkedFine(value) || !(isSafe || isValid(value))) return "doubtful"
      return flag.isRaised ? "incomplete" : "fine"
    },
    problems: (value) => (isValid(value) ? null : (exact?.errors ?? [])),
    isFineAt: (pointer, value) =>
      marked.getSchema(`${id}#${encodeURI(pointerText(pointer))}`)?.(value) === true,
  }
}

function compile(ajv: Ajv): ValidateFunction {
  try {
    const validate = ajv.getSchema(id)
    if (validate) return validate
    throw new Error("Ajv did not keep the schema.")
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DefinitionError(`The input schema can't be compiled: ${reason}`, { cause })
  }
}

function createAjv(original: JsonSchema, schema: JsonSchema, settings: Options): Ajv {
  const ajv = dialectOf(original) === "draft-07" ? new Ajv(settings) : new Ajv2020(settings)
  addFormats.default(ajv)
  useQuickLengths(ajv)
  const { $schema: _dialect, $id: _id, ...rest } = schema
  ajv.addSchema({ ...rest, $id: id })
  return ajv
}
