import type { StandardSchemaV1 } from "@standard-schema/spec"
import { errorText } from "../../kit/index.ts"
import type { FailureDetails } from "../envelope/envelope.ts"
import { fieldName } from "../schema/argument-path.ts"
import { DefinitionError } from "../schema/definition-error.ts"
import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { isKnownFormat } from "../schema/schema-keywords.ts"
import { followReference, mapSchemas } from "../schema/schema-walk.ts"
import type { DescribedSchema, Tool, ToolSchema } from "./tool.ts"

interface Described {
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema | null
  /** The author's own input schema, where it was not JSON Schema. */
  readonly standard: StandardSchemaV1 | null
}

/** JSON Schema stays what it is; a schema of another library is asked, once, to describe itself. */
export function describeAsJsonSchema(definition: {
  readonly input: ToolSchema
  readonly output?: ToolSchema | undefined
}): Described {
  const { input, output } = definition
  return {
    inputSchema: isStandardSchema(input)
      ? mapSchemas(atTopLevel(describe(input, "input")), enforceable)
      : input,
    outputSchema: isStandardSchema(output) ? describe(output, "output") : (output ?? null),
    standard: isStandardSchema(input) ? input : null,
  }
}

function isStandardSchema(schema: ToolSchema | undefined): schema is DescribedSchema {
  // Some libraries' schemas are functions.
  const holder = isObject(schema) || typeof schema === "function"
  return holder && "~standard" in schema && isObject(schema["~standard"])
}

function describe(schema: DescribedSchema, side: "input" | "output"): JsonSchema {
  const { vendor, jsonSchema } = schema["~standard"]
  if (!jsonSchema) {
    throw new DefinitionError(
      `The ${side} schema comes from ${vendor}, which can't describe itself as JSON Schema here. ` +
        "Use a version that implements Standard JSON Schema (zod 4.2 or later does), or write JSON Schema.",
    )
  }
  try {
    return jsonSchema[side]({ target: "draft-2020-12" })
  } catch (cause) {
    const reason = errorText(cause)
    throw new DefinitionError(
      `The ${side} schema of ${vendor} has a part that JSON Schema does not know: ${reason}.`,
      { cause },
    )
  }
}

/** A library may put even the whole schema among the definitions and refer to it. */
function atTopLevel(schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined || schema.type !== undefined) return schema
  const { $ref, ...rest } = schema
  const target = followReference(schema, $ref)
  return target ? { ...target.schema, ...rest } : schema
}

/**
 * Such libraries leave objects open in their description and drop unknown keys without a word.
 * Closed here: a key that would be ignored is a promise that would be broken. A format that is not
 * known here is left out; the library itself still checks it.
 */
function enforceable(schema: JsonSchema): JsonSchema {
  const { format, ...rest } = schema
  const known = typeof format === "string" && !isKnownFormat(format) ? rest : schema
  const isOpen = isObject(schema.properties) && schema.additionalProperties === undefined
  return isOpen && schema.type === "object" ? { ...known, additionalProperties: false } : known
}

export type Refined =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: FailureDetails }

/** Lets the author's own schema (zod, ...) have the last word: it may refine and transform. */
export async function refineInput(tool: Tool, value: unknown): Promise<Refined> {
  if (!tool.standard) return { ok: true, value }
  const outcome = await tool.standard["~standard"].validate(value)
  const issue = outcome.issues?.[0]
  if (!outcome.issues || !issue) return { ok: true, value: (outcome as { value: unknown }).value }
  const field = fieldName((issue.path ?? []).map(stepOf))
  const name = field === "" ? "The arguments are" : `Argument ${JSON.stringify(field)} is`
  return {
    ok: false,
    failure: {
      kind: "invalid_args",
      message: `${name} not accepted: ${issue.message}`,
      field: field === "" ? undefined : field,
    },
  }
}

function stepOf(step: PropertyKey | StandardSchemaV1.PathSegment): string | number {
  const key = typeof step === "object" ? step.key : step
  return typeof key === "number" ? key : String(key)
}
