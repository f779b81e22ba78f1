import type { ErrorObject, ValidateFunction } from "ajv/dist/core.js"
import { errorText } from "../../kit/index.ts"
import { dialectOf } from "../schema/check-schema.ts"
import { DefinitionError } from "../schema/definition-error.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { type Pointer, pointerText } from "../schema/schema-walk.ts"
import { createAjv } from "./create-ajv.ts"
import { type Flag, isMarkingSafe, markKeywords, markSchema } from "./instrument-schema.ts"

/** Fine: valid as it is. Incomplete: valid, but for missing defaults. Else repair has to look at it. */
export type Judgement = "fine" | "incomplete" | "doubtful"

export interface CompiledSchema {
  readonly judge: (value: unknown) => Judgement
  /** The first problem Ajv finds (for `anyOf`, one per branch), or null for a valid value. */
  readonly problems: (value: unknown) => readonly ErrorObject[] | null
  /** Would the schema at this place find nothing to repair? Compiled on first use. */
  readonly isFineAt: (pointer: Pointer, value: unknown) => boolean
}

const id = "toolkeep:input"

/**
 * Compiles a tool's input schema. Each has its own Ajv, so that it can be forgotten with its tool.
 * The schema with marks is quick and judges all input. The schema itself is compiled and asked only
 * when there is something to repair or to explain.
 */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const flag: Flag = { isRaised: false }
  const dialect = dialectOf(schema) ?? "draft-2020-12"
  const marked = createAjv(dialect)
  for (const keyword of markKeywords(flag)) marked.addKeyword(keyword)
  const isMarkedFine = compile(marked, markSchema(schema))
  let exact: ValidateFunction | null = null
  const isValid = (value: unknown) => {
    // Own properties only: `{}` has no "constructor". Looking that up takes three times as long.
    exact ??= compile(createAjv(dialect, { ownProperties: true, verbose: true }), schema)
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

function compile(ajv: ReturnType<typeof createAjv>, schema: JsonSchema): ValidateFunction {
  const { $schema: _dialect, ...rest } = schema
  try {
    // Kept under an id, so that each place in it can be asked for.
    const validate = ajv.addSchema({ ...rest, $id: id }).getSchema(id)
    if (validate) return validate
    throw new Error("Ajv did not keep the schema.")
  } catch (cause) {
    const reason = errorText(cause)
    throw new DefinitionError(`The input schema can't be compiled: ${reason}`, { cause })
  }
}
