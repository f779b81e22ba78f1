import type { Capabilities } from "../../contract/index.ts"
import { execTool } from "./exec-tool.ts"

/** The tools that run a shell. */
export function shellTools(can: Capabilities) {
  return [execTool(can)]
}
