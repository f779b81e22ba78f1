import type { Capabilities, Tool } from "../../contract/index.ts"
import { execTool } from "./exec-tool.ts"

/** The tools that run a shell. */
export function shellTools(can: Capabilities): readonly Tool[] {
  return [execTool(can)]
}
