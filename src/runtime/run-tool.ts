import {
  type CallContext,
  type FailureDetails,
  failureFrom,
  type Tool,
  ToolFailure,
} from "../contract/index.ts"
import type { Deadline, Ending } from "./deadline.ts"

export type ToolOutcome =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "failed"; readonly failure: FailureDetails }

interface Work {
  readonly tool: Tool
  readonly input: unknown
  readonly context: CallContext
}

/**
 * Runs the tool's own code until it settles, or until its deadline and a little grace have passed:
 * a tool that ignores its signal is left behind, and whatever it does later changes nothing.
 */
export async function runTool(work: Work, deadline: Deadline): Promise<ToolOutcome> {
  const outcome = await new Promise<ToolOutcome>((resolve) => {
    deadline.whenAbandoned(() => resolve(abandoned))
    void settle(work).then(resolve)
  })
  const { ending } = deadline
  if (!ending) return outcome
  // Ended by a person, a command still answers with what it printed.
  if (ending.kind === "person" && outcome.kind === "returned") return outcome
  return { kind: "failed", failure: failureOf(ending) }
}

const abandoned: ToolOutcome = {
  kind: "failed",
  failure: { kind: "timeout", message: "The tool did not let go." },
}

async function settle({ tool, input, context }: Work): Promise<ToolOutcome> {
  try {
    return { kind: "returned", value: await tool.run(input as never, context) }
  } catch (error) {
    return { kind: "failed", failure: failureFrom(error) }
  }
}

export function failureOf(ending: Ending): FailureDetails {
  switch (ending.kind) {
    case "deadline":
      return {
        kind: "timeout",
        message: `The call was ended after ${ending.afterMs} ms, its deadline. Ask for less at once, or allow more time.`,
      }
    case "person":
      return {
        kind: "execution_error",
        message: "A person ended the call before it was done.",
        retryable: false,
      }
    case "caller":
      // A caller that knows why says so.
      if (ending.reason instanceof ToolFailure) return failureFrom(ending.reason)
      return isTimeout(ending.reason)
        ? { kind: "timeout", message: "The caller's own deadline passed before the call was done." }
        : { kind: "execution_error", message: "The caller cancelled the call before it was done." }
    default:
      return ending satisfies never
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "TimeoutError"
}
