import type { Tool } from "../../contract/index.ts"
import type { ToolParts } from "../tool-parts.ts"
import { renderTool } from "./render-tool.ts"

export function chartTools(parts: ToolParts): readonly Tool[] {
  return [renderTool(parts)]
}
