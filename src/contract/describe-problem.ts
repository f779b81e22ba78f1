import type { ErrorObject } from "ajv"
import { nearest } from "../kit/index.ts"
import { type ArgumentPath, fieldName, pathFromPointer } from "./argument-path.ts"
import { describeSchema, describeValue } from "./describe-schema.ts"
import type { FailureDetails } from "./envelope.ts"
import { isObject } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"

/** What a model needs to know to send it right the next time. Never contains the refused value. */
export function describeProblem(problems: readonly ErrorObject[], input: unknown): FailureDetails {
  const problem = mostTelling(problems)
  if (!problem) return { kind: "invalid_args", message: "The arguments do not fit the schema." }
  const path = pathFromPointer(problem.instancePath, input)
  const described = describe(problem, path)
  return { kind: "invalid_args", ...described }
}

/** In a union, the branch that got furthest into the value says most; else the union itself. */
function mostTelling(problems: readonly ErrorObject[]): ErrorObject | undefined {
  const last = problems.at(-1)
  if (last?.keyword !== "anyOf" && last?.keyword !== "oneOf") return problems[0]
  const depth = (problem: ErrorObject) => problem.instancePath.split("/").length
  const inner = problems.filter((problem) => depth(problem) > depth(last))
  return inner.sort((a, b) => depth(b) - depth(a))[0] ?? discriminated(problems, last) ?? last
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

function describe(problem: ErrorObject, path: ArgumentPath): Omit<FailureDetails, "kind"> {
  const schema: JsonSchema = isObject(problem.parentSchema) ? problem.parentSchema : {}
  if (problem.keyword === "required") return describeMissing(problem, path, schema)
  if (problem.keyword === "additionalProperties" || problem.keyword === "unevaluatedProperties") {
    return describeUnknownKey(problem, path, schema)
  }
  const field = fieldName(path)
  const expected = describeSchema(schema)
  const name = path.length === 0 ? "The arguments" : `Argument ${JSON.stringify(field)}`
  return {
    message: `${name} ${rule(problem, schema)}.`,
    ...(path.length === 0 ? {} : { field }),
    expected,
  }
}

/** The broken rule as the end of a sentence. */
function rule(problem: ErrorObject, schema: JsonSchema): string {
  const got = describeValue(problem.data)
  switch (problem.keyword) {
    case "notBlank":
    case "minLength":
      if (problem.data === "") return "must not be empty"
      return `${problem.message ?? "is too short"}`
    case "enum":
    case "const":
    case "type":
    case "anyOf":
    case "oneOf":
    case "format":
    case "pattern":
      return `must be ${describeSchema(schema)}; got ${got}`
    case "not":
    case "false schema":
      return "is not allowed here"
    default:
      return problem.message ?? "does not fit the schema"
  }
}

function describeMissing(
  problem: ErrorObject,
  path: ArgumentPath,
  schema: JsonSchema,
): Omit<FailureDetails, "kind"> {
  const name = String(problem.params.missingProperty)
  const misspelt = nearest(name, unknownKeys(problem.data, schema))
  if (misspelt !== null) return unknownKey([...path, misspelt], schema)
  const field = fieldName([...path, name])
  const expected = describeSchema(schema.properties?.[name] ?? {})
  return {
    message: `Missing required argument ${JSON.stringify(field)} (${expected}).`,
    field,
    expected,
  }
}

function describeUnknownKey(
  problem: ErrorObject,
  path: ArgumentPath,
  schema: JsonSchema,
): Omit<FailureDetails, "kind"> {
  const { additionalProperty, unevaluatedProperty } = problem.params
  return unknownKey([...path, String(additionalProperty ?? unevaluatedProperty)], schema)
}

function unknownKey(path: ArgumentPath, schema: JsonSchema): Omit<FailureDetails, "kind"> {
  const field = fieldName(path)
  const known = Object.keys(schema.properties ?? {})
  const close = nearest(String(path.at(-1)), known)
  const hint = close ? `did you mean ${JSON.stringify(close)}?` : knownKeys(known)
  return {
    message: `Unknown argument ${JSON.stringify(field)}; ${hint}`,
    field,
    expected: known.length === 0 ? "no arguments" : `only ${known.join(", ")}`,
  }
}

function unknownKeys(value: unknown, schema: JsonSchema): string[] {
  const known = schema.properties ?? {}
  return isObject(value) ? Object.keys(value).filter((key) => !Object.hasOwn(known, key)) : []
}

function knownKeys(known: readonly string[]): string {
  return known.length === 0 ? "none are taken here." : `known here: ${known.join(", ")}.`
}
