import { ToolFailure } from "../../contract/index.ts"

export function sandboxClosed(): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: "The sandbox was closed.",
    retryable: false,
  })
}

export function sandboxAsleep(): ToolFailure {
  return new ToolFailure({ kind: "unavailable", message: "The sandbox went to sleep." })
}
