import type { ToolDeps } from "../tool-deps.ts"
import { sendTool } from "./send-tool.ts"

export function mediaTools(parts: ToolDeps) {
  return [sendTool(parts)]
}
