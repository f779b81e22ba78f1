import type { ErrorObject, Options, ValidateFunction } from "ajv/dist/core.js"
import { errorText } from "../../kit/index.ts"
import { dialectOf } from "../schema/check-schema.ts"
import { DefinitionError } from "../schema/definition-error.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import type { Dialect } from "../schema/schema-keywords.ts"
import {
  followReference,
  type Pointer,
  pointerText,
  type SchemaNode,
} from "../schema/schema-walk.ts"
import { canCompile, createAjv, minLengthOfInput } from "./create-ajv.ts"
import {
  type Flag,
  heldExactly,
  inputRules,
  isMarkingSafe,
  markIntegers,
  markKeywords,
  markRules,
  markSchema,
} from "./instrument-schema.ts"
import { interpretSchema } from "./interpret-schema.ts"

/** Fine: valid as it is. Incomplete: valid, but for missing defaults. Else repair has to look at it. */
export type Judgement = "fine" | "incomplete" | "doubtful"

export interface CompiledSchema {
  readonly judge: (value: unknown) => Judgement
  /** The first problem Ajv finds (for `anyOf`, one per branch), or null for a valid value. */
  readonly problems: (value: unknown) => readonly ErrorObject[] | null
  /** Would the schema at this place find nothing to repair? Compiled on first use. */
  readonly isFineAt: (pointer: Pointer, value: unknown) => boolean
}

/** The two questions that are asked about a value: by the schema with marks, and by the schema itself. */
interface Validator {
  readonly isMarkedFine: (value: unknown, pointer?: Pointer) => boolean
  readonly problems: (value: unknown, pointer?: Pointer) => readonly ErrorObject[] | null
}

/**
 * Prepares a tool's input schema for checks. The schema with marks is quick and judges all input. The schema itself is
 * asked only when there is something to repair or to explain.
 */
export function compileSchema(declared: JsonSchema, mayCompile = canCompile()): CompiledSchema {
  const schema = markIntegers(declared)
  const flag: Flag = { isRaised: false }
  const { isMarkedFine, problems } = (mayCompile ? compiled : interpreted)(schema, flag)
  const isSafe = isMarkingSafe(schema)
  return {
    judge(value) {
      flag.isRaised = !isSafe
      if (!isMarkedFine(value) || !(isSafe || problems(value) === null)) return "doubtful"
      return flag.isRaised ? "incomplete" : "fine"
    },
    problems: (value) => problems(value),
    isFineAt: (pointer, value) => isMarkedFine(value, pointer),
  }
}

function interpreted(schema: JsonSchema, flag: Flag): Validator {
  const marked = markSchema(schema)
  const marks = { ...inputRules, ...markRules(flag) }
  return {
    isMarkedFine: (value, pointer) =>
      interpretSchema(placeIn(marked, pointer), value, { root: marked, marks }) === null,
    problems: (value, pointer) =>
      interpretSchema(placeIn(schema, pointer), value, { root: schema, marks: inputRules }),
  }
}

/** What is not there accepts nothing. */
function placeIn(root: JsonSchema, pointer: Pointer = []): unknown {
  return followReference(root, `#${encodeURI(pointerText(pointer))}`)?.schema ?? false
}

const id = "toolkeep:input"

/**
 * Each schema has its own Ajv, so that it can be forgotten with its tool. Ajv compares objects by their `toString`, which
 * a value may have as a key of its own: where that fails, the schema is interpreted.
 */
function compiled(schema: JsonSchema, flag: Flag): Validator {
  const dialect = dialectOf(schema) ?? "draft-2020-12"
  const marked = createInputAjv({ dialect })
  for (const keyword of markKeywords(flag)) marked.addKeyword(keyword)
  const validate = compile(marked, markSchema(schema))
  let exact: ReturnType<typeof createInputAjv> | null = null
  const createExact = () => {
    // Own properties only: `{}` has no "constructor". Looking that up takes three times as long.
    const ajv = createInputAjv({ dialect, ownProperties: true, verbose: true })
    compile(ajv, schema)
    return ajv
  }
  return {
    isMarkedFine(value, pointer) {
      const asked = pointer ? marked.getSchema(pointerId(pointer)) : validate
      try {
        return asked?.(value) === true
      } catch {
        return interpreted(schema, flag).isMarkedFine(value, pointer)
      }
    },
    problems(value, pointer = []) {
      exact ??= createExact()
      const asked = exact.getSchema(pointerId(pointer))
      try {
        return asked?.(value) === true ? null : (asked?.errors ?? [])
      } catch {
        return interpreted(schema, flag).problems(value, pointer)
      }
    },
  }
}

function createInputAjv({ dialect, ...settings }: Options & { readonly dialect: Dialect }) {
  const ajv = createAjv(dialect, settings)
  ajv.replaceKeyword(minLengthOfInput)
  ajv.addKeyword(heldExactly)
  return ajv
}

/**
 * Throws a DefinitionError for a schema that can't be compiled. Returns the first of these places whose default the schema
 * there refuses, or null.
 */
export function refusedDefault(schema: JsonSchema, places: readonly SchemaNode[]) {
  const { problems } = (canCompile() ? compiled : interpreted)(schema, { isRaised: false })
  const refused = places.find(({ schema: { default: filling }, pointer }) => {
    return filling !== undefined && problems(filling, pointer) !== null
  })
  return refused ?? null
}

function pointerId(pointer: Pointer): string {
  return `${id}#${encodeURI(pointerText(pointer))}`
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
