import type { ToolParts } from "../tool-parts.ts"
import { shareTool } from "./share-tool.ts"

export function artifactTools(parts: ToolParts) {
  return [shareTool(parts)]
}
