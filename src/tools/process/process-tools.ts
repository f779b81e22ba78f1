import type { CallLimits, Capabilities } from "../../contract/index.ts"
import { killTool } from "./kill-tool.ts"
import { listTool } from "./list-tool.ts"
import { outputTool } from "./output-tool.ts"
import { startTool } from "./start-tool.ts"
import { statusTool } from "./status-tool.ts"
import { waitTool } from "./wait-tool.ts"
import { writeTool } from "./write-tool.ts"

/** The tools for what goes on in the background; none where commands are no processes. */
export function processTools(can: Capabilities, limits: CallLimits) {
  if (!can.background) return []
  const tools = [
    startTool(can),
    listTool(),
    statusTool(),
    outputTool(limits),
    waitTool(),
    killTool(),
  ]
  return can.liveInput ? [...tools, writeTool()] : tools
}
