import type { ToolParts } from "../tool-parts.ts"
import type { SessionWork } from "../work/session-work.ts"
import { analyzeTool } from "./analyze-tool.ts"

export function imageTools(parts: ToolParts, work: SessionWork) {
  return [analyzeTool(parts, work)]
}
