import { failureFrom } from "../../../contract/index.ts"
import { TooManyRequests, Unauthorized } from "../../access/authorize.ts"
import { refusalStatus } from "../../access/refusal-status.ts"

/** A part of E2B's API that this server does not have. */
export class NotServed extends Error {}

/** The sandbox of a request is gone, or rests. E2B's proxy answers so, and its clients know it by that. */
export class SandboxGone extends Error {}

/** Sandboxes that already rest are not paused again. */
export class Conflict extends Error {}

/** An error as E2B's API tells it. */
export function refuse(error: unknown): Response {
  const [status, message] = describe(error)
  const headers = { "Cache-Control": "no-store" }
  return Response.json({ code: status, message }, { status, headers })
}

function describe(error: unknown): readonly [number, string] {
  if (error instanceof Unauthorized) return [401, unauthorized]
  if (error instanceof TooManyRequests) return [429, error.message]
  if (error instanceof NotServed) return [501, error.message]
  if (error instanceof SandboxGone) return [502, error.message]
  if (error instanceof Conflict) return [409, error.message]
  const { kind, message, retryable } = failureFrom(error)
  const isNever = kind === "unavailable" && retryable === false
  return [isNever ? 501 : refusalStatus[kind], message]
}

const unauthorized = "The API key must be a token of this server (E2B_API_KEY)."
