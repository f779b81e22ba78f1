import type { ToolDeps } from "../tool-deps.ts"
import { shareTool } from "./share-tool.ts"

export function artifactTools(parts: ToolDeps) {
  return [shareTool(parts)]
}
