import type { Tool } from "../../contract/index.ts"
import type { ToolParts } from "../tool-parts.ts"
import { sendTool } from "./send-tool.ts"

export function mediaTools(parts: ToolParts): readonly Tool[] {
  return [sendTool(parts)]
}
