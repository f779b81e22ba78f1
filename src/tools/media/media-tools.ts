import type { ToolParts } from "../tool-parts.ts"
import { sendTool } from "./send-tool.ts"

export function mediaTools(parts: ToolParts) {
  return [sendTool(parts)]
}
