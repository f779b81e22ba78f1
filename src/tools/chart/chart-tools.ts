import type { ToolParts } from "../tool-parts.ts"
import type { SessionWork } from "../work/session-work.ts"
import { renderTool } from "./render-tool.ts"

export function chartTools(parts: ToolParts, work: SessionWork) {
  return [renderTool(parts, work)]
}
