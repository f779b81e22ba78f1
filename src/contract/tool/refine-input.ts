import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { FailureDetails } from "../envelope/envelope.ts"
import { fieldName } from "../schema/argument-path.ts"
import type { Tool } from "./tool.ts"

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
