import { ToolFailure } from "../../contract/index.ts"

export function nobodyListens(port: number): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `Nothing listens on port ${port} in the sandbox.`,
  })
}
