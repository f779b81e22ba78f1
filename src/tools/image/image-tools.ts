import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork } from "../work/session-work.ts"
import { analyzeTool } from "./analyze-tool.ts"

export function imageTools(parts: ToolDeps, work: SessionWork) {
  return [analyzeTool(parts, work)]
}
