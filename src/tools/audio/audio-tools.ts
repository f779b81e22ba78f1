import type { ToolParts } from "../tool-parts.ts"
import type { SessionWork } from "../work/session-work.ts"
import { transcribeTool } from "./transcribe-tool.ts"

export function audioTools(parts: ToolParts, work: SessionWork) {
  return [transcribeTool(parts, work)]
}
