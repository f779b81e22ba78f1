import type { Tool } from "../../contract/index.ts"
import type { ToolParts } from "../tool-parts.ts"
import { shareTool } from "./share-tool.ts"

export function artifactTools(parts: ToolParts): readonly Tool[] {
  return [shareTool(parts)]
}
