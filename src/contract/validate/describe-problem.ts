import type { ErrorObject } from "ajv/dist/core.js"
import { nearest } from "../../kit/index.ts"
import type { FailureDetails } from "../envelope/envelope.ts"
import { type ArgumentPath, fieldName, pathFromPointer } from "../schema/argument-path.ts"
import { describePattern } from "../schema/describe-pattern.ts"
import { describeSchema, describeValue } from "../schema/describe-schema.ts"
import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { ownProperty } from "../schema/schema-places.ts"
import { isBlank } from "./instrument-schema.ts"

/** How many keys of a refused object are compared with the declared ones. */
const mostCompared = 50

/** What a model needs to know to send it right the next time. Never contains the refused value. */
export function describeProblem(
  problems: readonly ErrorObject[],
  input: unknown,
  root: JsonSchema,
): FailureDetails {
  const problem = mostTelling(problems)
  if (!problem) return { kind: "invalid_args", message: "The arguments do not fit the schema." }
  const path = pathFromPointer(problem.instancePath, input)
  const schema: JsonSchema = isObject(problem.parentSchema) ? problem.parentSchema : {}
  return { kind: "invalid_args", ...describe({ problem, path, schema, root }) }
}

interface LocatedProblem {
  readonly problem: ErrorObject
  /** Where in the input. */
  readonly path: ArgumentPath
  /** The schema that refused it. */
  readonly schema: JsonSchema
  readonly root: JsonSchema
}

type Description = Omit<FailureDetails, "kind">

/** In a union, the branch that got furthest into the value says most; else the union itself. */
function mostTelling(problems: readonly ErrorObject[]): ErrorObject | undefined {
  const last = problems.at(-1)
  if (last?.keyword !== "anyOf" && last?.keyword !== "oneOf") return problems[0]
  const depth = (problem: ErrorObject) => problem.instancePath.split("/").length
  // One pass: unions within unions have many problems.
  let [deepest, most]: [ErrorObject | undefined, number] = [undefined, depth(last)]
  for (const problem of problems) {
    const levels = depth(problem)
    if (levels > most) [deepest, most] = [problem, levels]
  }
  return deepest ?? discriminated(problems, last) ?? last
}

/** Where all but one branch fail on a constant (a tag), the other branch is the one meant. */
function discriminated(
  problems: readonly ErrorObject[],
  union: ErrorObject,
): ErrorObject | undefined {
  const others = problems.filter(
    (problem) => problem !== union && problem.keyword !== "const" && problem.keyword !== "type",
  )
  return others.length === 1 ? others[0] : undefined
}

function describe(located: LocatedProblem): Description {
  const { problem, path, schema, root } = located
  if (problem.propertyName !== undefined) return describeKeyName(located, problem.propertyName)
  switch (problem.keyword) {
    case "required":
    case "dependentRequired":
      return describeMissing(located)
    case "additionalProperties":
    case "unevaluatedProperties": {
      const { additionalProperty, unevaluatedProperty } = problem.params
      return describeUnknownKey(located, String(additionalProperty ?? unevaluatedProperty))
    }
  }
  const field = fieldName(path)
  const name = path.length === 0 ? "The arguments" : `Argument ${JSON.stringify(field)}`
  const expected = describeSchema(schema, root)
  return {
    message: `${name} ${rule(problem, expected)}.`,
    ...(path.length === 0 ? {} : { field }),
    expected,
  }
}

/** The broken rule as the end of a sentence. */
function rule(problem: ErrorObject, expected: string): string {
  if (problem.data === "" && Number(problem.parentSchema?.minLength) > 0) return "must not be empty"
  switch (problem.keyword) {
    case "minLength":
      return isBlank(problem.data) ? "must not be empty" : (problem.message ?? "is too short")
    case "enum":
    case "const":
    case "type":
    case "anyOf":
    case "oneOf":
    case "format":
    case "pattern":
      return `must be ${expected}; got ${describeValue(problem.data)}`
    case "not":
    case "false schema":
      return "is not allowed here"
    default:
      return problem.message ?? "does not fit the schema"
  }
}

function describeMissing(located: LocatedProblem): Description {
  const { problem, path, schema, root } = located
  const { missingProperty, property } = problem.params
  const name = String(missingProperty)
  const misspelt = nearest(name, unknownKeys(problem.data, schema))
  if (misspelt !== null) return describeUnknownKey(located, misspelt)
  const field = fieldName([...path, name])
  const declared = ownProperty(schema, name)
  const expected = declared && describeSchema(declared, root)
  const beside = property === undefined ? "" : ` beside ${JSON.stringify(property)}`
  const about = expected === undefined ? "" : ` (${expected})`
  return {
    message: `Missing required argument ${JSON.stringify(field)}${beside}${about}.`,
    field,
    expected,
  }
}

function describeUnknownKey({ path, schema }: LocatedProblem, key: string): Description {
  const field = fieldName([...path, key])
  const known = Object.keys(schema.properties ?? {})
  const patterns = Object.keys(Object(schema.patternProperties))
  const taken = [...known, ...patterns.map(describeNames)].join(", ")
  const close = nearest(key, known)
  const hint = close
    ? `did you mean ${JSON.stringify(close)}?`
    : taken === ""
      ? "none are taken here."
      : `known here: ${taken}.`
  return {
    message: `Unknown argument ${JSON.stringify(field)}; ${hint}`,
    field,
    expected: taken === "" ? "no arguments" : `only ${taken}`,
  }
}

function describeNames(pattern: string): string {
  const words = describePattern(pattern)
  return words === null ? "names of another form" : `names of this form: ${words}`
}

function describeKeyName({ path, schema, root }: LocatedProblem, key: string): Description {
  const field = fieldName([...path, key])
  const expected = `names: ${describeSchema({ type: "string", ...schema }, root)}`
  return { message: `${JSON.stringify(field)} has a name that is not taken here.`, field, expected }
}

/** Only where the schema takes no other keys is one that it does not declare a misspelt one. */
function unknownKeys(value: unknown, schema: JsonSchema): string[] {
  const isClosed = schema.additionalProperties === false || schema.unevaluatedProperties === false
  if (!isClosed || !isObject(value)) return []
  const unknown = Object.keys(value).filter((key) => ownProperty(schema, key) === undefined)
  return unknown.slice(0, mostCompared)
}
