import { ToolFailure } from "../contract/index.ts"

export function sandboxClosed(): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: "The sandbox was closed.",
    retryable: false,
  })
}
