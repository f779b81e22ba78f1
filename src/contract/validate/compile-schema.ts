import type { ErrorObject, Options, ValidateFunction } from "ajv/dist/core.js"
import { errorText } from "../../kit/index.ts"
import { limits } from "../limits.ts"
import { DefinitionError } from "../schema/definition-error.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import {
  followReference,
  type Pointer,
  pointerText,
  type SchemaNode,
} from "../schema/schema-walk.ts"
import { markSteps } from "./count-steps.ts"
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
import { isTooMuchWork, StepBudget } from "./step-budget.ts"

/** Fine: valid as it is. Incomplete: valid, but for missing defaults. Else repair has to look at it. */
export type Judgement = "fine" | "incomplete" | "doubtful"

/** Each question throws an OverBudget when it takes too many steps. */
export interface CompiledSchema {
  readonly judge: (value: unknown) => Judgement
  /** The first problem Ajv finds (for `anyOf`, one per branch), or null for a valid value. */
  readonly problems: (value: unknown) => readonly ErrorObject[] | null
  /** What `isFineAt` takes its steps from. The caller starts it. */
  readonly budget: StepBudget
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
 * asked only when there is something to repair or to explain. A first input that is fine needs no compiler, which takes
 * longer than to interpret the schema: a command line checks one input and ends (bench: cold-call).
 */
export function compileSchema(
  declared: JsonSchema,
  how: "compiled" | "interpreted" | "as needed" = canCompile() ? "as needed" : "interpreted",
): CompiledSchema {
  const schema = markIntegers(declared)
  const flag: Flag = { isRaised: false }
  const budget = new StepBudget()
  const marking = { flag, budget }
  const isSafe = isMarkingSafe(schema)
  let known = how === "interpreted" ? interpreted(schema, marking) : null
  const validator = () => {
    known ??= compiled(schema, marking)
    return known
  }
  const problemsBy = ({ problems }: Validator, value: unknown) => {
    budget.start(value)
    return problems(value)
  }
  const judgeBy = (by: Validator, value: unknown): Judgement => {
    // As `start` does; every call of every tool comes here.
    budget.left = limits.checkSteps.always
    budget.value = value
    flag.isRaised = !isSafe
    if (!by.isMarkedFine(value) || !(isSafe || problemsBy(by, value) === null)) return "doubtful"
    return flag.isRaised ? "incomplete" : "fine"
  }
  let isFirst = how === "as needed"
  const judgeFirst = (value: unknown): Judgement => {
    isFirst = false
    try {
      return judgeBy(interpreted(schema, marking), value)
    } catch (error) {
      if (isTooMuchWork(error)) return "doubtful"
      throw error
    }
  }
  return {
    judge: (value) =>
      isFirst && judgeFirst(value) === "fine" ? "fine" : judgeBy(validator(), value),
    problems: (value) => problemsBy(validator(), value),
    budget,
    isFineAt: (pointer, value) => validator().isMarkedFine(value, pointer),
  }
}

/** What a validator leaves word of while it runs. */
interface Marking {
  readonly flag: Flag
  readonly budget: StepBudget
}

function interpreted(schema: JsonSchema, { flag, budget }: Marking): Validator {
  const marked = markSchema(schema)
  const marks = { ...inputRules, ...markRules(flag) }
  return {
    isMarkedFine: (value, pointer) =>
      interpretSchema(placeIn(marked, pointer), value, { root: marked, budget, marks }) === null,
    problems: (value, pointer) =>
      interpretSchema(placeIn(schema, pointer), value, { root: schema, budget, marks: inputRules }),
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
function compiled(declared: JsonSchema, marking: Marking): Validator {
  const { flag, budget } = marking
  const schema = markSteps(declared)
  const marked = createInputAjv(schema, budget)
  for (const keyword of markKeywords(flag)) marked.addKeyword(keyword)
  const validate = compile(marked, markSchema(schema))
  const places = new Map<string, ReturnType<typeof marked.getSchema>>()
  // Ajv takes longer to find a place than to check a value there.
  const schemaAt = (pointer: Pointer) => {
    const text = pointerText(pointer)
    const found = places.get(text) ?? marked.getSchema(`${id}#${encodeURI(text)}`)
    places.set(text, found)
    return found
  }
  let exact: ReturnType<typeof createInputAjv> | null = null
  const createExact = () => {
    // Own properties only: `{}` has no "constructor". Looking that up takes three times as long.
    const ajv = createInputAjv(schema, budget, { ownProperties: true, verbose: true })
    compile(ajv, schema)
    return ajv
  }
  return {
    isMarkedFine(value, pointer) {
      const asked = pointer ? schemaAt(pointer) : validate
      try {
        return asked?.(value) === true
      } catch (error) {
        if (isTooMuchWork(error)) throw error
        return interpreted(declared, marking).isMarkedFine(value, pointer)
      }
    },
    problems(value, pointer = []) {
      exact ??= createExact()
      const asked = exact.getSchema(pointerId(pointer))
      try {
        return asked?.(value) === true ? null : (asked?.errors ?? [])
      } catch (error) {
        if (isTooMuchWork(error)) throw error
        return interpreted(declared, marking).problems(value, pointer)
      }
    },
  }
}

function createInputAjv(schema: JsonSchema, budget: StepBudget, settings?: Options) {
  const ajv = createAjv(schema, budget, settings)
  ajv.replaceKeyword(minLengthOfInput)
  ajv.addKeyword(heldExactly)
  return ajv
}

/**
 * Throws a DefinitionError for a schema that can't be compiled, or whose defaults can't be checked. Returns the first of these
 * places whose default the schema there refuses, or null.
 */
export function refusedDefault(schema: JsonSchema, places: readonly SchemaNode[]) {
  const budget = new StepBudget()
  const marking = { flag: { isRaised: false }, budget }
  const { problems } = (canCompile() ? compiled : interpreted)(schema, marking)
  const filled = places.filter((place) => place.schema.default !== undefined)
  budget.start(filled.map((place) => place.schema.default))
  try {
    return filled.find((place) => problems(place.schema.default, place.pointer) !== null) ?? null
  } catch (cause) {
    if (!isTooMuchWork(cause)) throw cause
    const reason = "The input schema needs too many steps to check its defaults."
    throw new DefinitionError(reason, { cause })
  }
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
