import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork } from "../work/session-work.ts"
import { renderTool } from "./render-tool.ts"

export function chartTools(parts: ToolDeps, work: SessionWork) {
  return [renderTool(parts, work)]
}
