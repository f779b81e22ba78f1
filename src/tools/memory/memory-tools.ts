import type { ToolDeps } from "../tool-deps.ts"
import { deleteTool } from "./delete-tool.ts"
import { listTool } from "./list-tool.ts"
import { readTool } from "./read-tool.ts"
import { searchTool } from "./search-tool.ts"
import { sessionMemory } from "./session-memory.ts"
import { writeTool } from "./write-tool.ts"

/** What outlives the session: notes in namespaces, found by their words and by their meaning. */
export function memoryTools(parts: ToolDeps) {
  const memory = sessionMemory(parts)
  return [
    readTool(memory),
    writeTool(memory),
    listTool(memory),
    searchTool(memory),
    deleteTool(memory),
  ]
}
