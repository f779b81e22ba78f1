import type { FailureDetails } from "../../contract/index.ts"
import { permanentRemedy } from "./connection-problem.ts"
import type { ModelProblem } from "./model-error.ts"

/** One sentence about a request that failed, and what to do. */
export function describeProblem(model: string, problem: ModelProblem): FailureDetails {
  const { kind, status, words } = problem
  const said = words === "" ? "" : `: ${words.replace(/[.!]$/, "")}`
  if (kind === "network") {
    const remedy = permanentRemedy(problem.code, words)
    const again = /ECONNREFUSED/.test(problem.code)
      ? "Check the address and that a server runs there, then try again."
      : "Check the address and the network, then try again."
    const message = `${model} can't be reached${said}. ${remedy ?? again}`
    return { kind: "unavailable", message, retryable: remedy === null }
  }
  if (kind === "stopped") {
    const message = `The answer of ${model} stopped before its end. Try again.`
    return { kind: "unavailable", message, retryable: true }
  }
  if (kind === "format") {
    const message = `${model} sent an answer that can't be read. Check that the address is that of a model's API, then try again.`
    return { kind: "execution_error", message, retryable: true }
  }
  const number = status === undefined ? "" : ` (${status})`
  const { failure, what, advice } = explain(problem)
  return {
    kind: failure,
    message: `${model} ${what}${number}${said}. ${advice}`,
    retryable: isTransient(problem),
  }
}

/** Whether the same request may succeed a little later. */
export function isTransient({ kind, status, code, words }: ModelProblem): boolean {
  if (kind === "stopped") return true
  if (kind === "network") return permanentRemedy(code, words) === null
  if (kind === "format" || status === undefined || code.includes("insufficient_quota")) return false
  return status === 408 || status === 409 || status === 429 || status >= 500
}

interface Explanation {
  readonly failure: FailureDetails["kind"]
  readonly what: string
  readonly advice: string
}

function explain({ status, code, retryAfterMs }: ModelProblem): Explanation {
  const later =
    retryAfterMs === undefined
      ? "Try again later."
      : `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`
  if (status === 402 || code.includes("insufficient_quota") || code.includes("billing")) {
    const advice = "Check the billing of the account."
    return { failure: "unavailable", what: "has no credit left", advice }
  }
  switch (status) {
    case 401:
      return {
        failure: "unavailable",
        what: "did not accept the API key",
        advice: "Set a valid key.",
      }
    case 403:
      return {
        failure: "unavailable",
        what: "denied access",
        advice: "Check what the API key may use.",
      }
    case 404:
      return {
        failure: "not_found",
        what: "was not found",
        advice: "Check the name of the model and the address.",
      }
    case 429:
      return { failure: "unavailable", what: "limits how much it answers", advice: later }
    case 503:
    case 529:
      return { failure: "unavailable", what: "is overloaded", advice: later }
    case undefined:
      return { failure: "unavailable", what: "failed", advice: later }
    default:
      return status >= 500
        ? { failure: "unavailable", what: "failed", advice: later }
        : {
            failure: "execution_error",
            what: "refused the request",
            advice: "The same request will be refused again.",
          }
  }
}
