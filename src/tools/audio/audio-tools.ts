import type { Tool } from "../../contract/index.ts"
import type { ToolParts } from "../tool-parts.ts"
import { transcribeTool } from "./transcribe-tool.ts"

export function audioTools(parts: ToolParts): readonly Tool[] {
  return [transcribeTool(parts)]
}
