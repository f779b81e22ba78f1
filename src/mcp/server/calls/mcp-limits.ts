import { limits } from "../../../contract/index.ts"

type Numbers<Value> = Value extends number
  ? number
  : { readonly [Name in keyof Value]: Numbers<Value[Name]> }

/** What a server grants its clients. */
export type McpLimits = Numbers<typeof limits.mcp>

/** The usual ones, but for those that are given. */
export function mcpLimits(changed: Partial<McpLimits> = {}): McpLimits {
  return { ...limits.mcp, ...changed }
}
