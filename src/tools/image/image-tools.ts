import type { Tool } from "../../contract/index.ts"
import type { ToolParts } from "../tool-parts.ts"
import { analyzeTool } from "./analyze-tool.ts"

export function imageTools(parts: ToolParts): readonly Tool[] {
  return [analyzeTool(parts)]
}
