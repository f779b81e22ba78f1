import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork } from "../work/session-work.ts"
import { transcribeTool } from "./transcribe-tool.ts"

export function audioTools(parts: ToolDeps, work: SessionWork) {
  return [transcribeTool(parts, work)]
}
