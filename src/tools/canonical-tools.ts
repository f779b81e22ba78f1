import { defineTrusted } from "../contract/index.ts"
import { shareTool } from "./artifact/share-tool.ts"
import { transcribeTool } from "./audio/transcribe-tool.ts"
import { browserTools } from "./browser/browser-tools.ts"
import { renderTool } from "./chart/render-tool.ts"
import { codeTools } from "./code/run-tool.ts"
import { fileTools } from "./file/file-tools.ts"
import { analyzeTool } from "./image/analyze-tool.ts"
import { sendTool } from "./media/send-tool.ts"
import { memoryTools } from "./memory/memory-tools.ts"
import { processTools } from "./process/process-tools.ts"
import { sandboxTools } from "./sandbox/sandbox-tools.ts"
import { searchTool } from "./search/search-tool.ts"
import { sessionPreviews } from "./session-previews.ts"
import { execTool } from "./shell/exec-tool.ts"
import { systemTools } from "./system/system-tools.ts"
import type { ToolDeps } from "./tool-deps.ts"
import { fetchTool } from "./web/fetch-tool.ts"
import { searchTool as webSearchTool } from "./web/search/search-tool.ts"
import { createWorkPool, openSessionWork } from "./work/session-work.ts"

/** One of the tools that come with Toolkeep: its name, what it takes and what it answers. */
export type BuiltInTool = ReturnType<typeof canonicalTools>[number]

/**
 * Every canonical tool that a host with these capabilities can offer, always in the same order.
 * Definitions only: what a tool needs to run is loaded by its first call.
 */
export function canonicalTools(parts: ToolDeps) {
  const { can, version } = parts
  const previews = sessionPreviews(parts)
  const work = openSessionWork(
    parts.work ?? createWorkPool(),
    // Sessions with a memory of their own have their own owner, such as each token of a server.
    parts.memory ?? "",
    parts.onClose,
  )
  return defineTrusted(() => [
    ...fileTools(can),
    execTool(can),
    ...processTools(can),
    ...codeTools(can),
    ...sandboxTools(parts, previews),
    fetchTool(parts, work),
    webSearchTool(parts),
    ...browserTools(parts, previews),
    ...memoryTools(parts),
    sendTool(parts),
    analyzeTool(parts, work),
    transcribeTool(parts, work),
    shareTool(parts),
    renderTool(parts, work),
    ...systemTools({ can, version }),
    ...(parts.loading ? [searchTool(parts.loading)] : []),
  ])
}

/** Names of tools that sessions bring, or will: nobody else's tool may have them. */
const reservedNames = ["task", "todo", "clarify", "complete", "sessions.*", "tools.search"] as const

export function isReservedName(name: string): boolean {
  return reservedNames.some((reserved) =>
    reserved.endsWith(".*") ? name.startsWith(reserved.slice(0, -1)) : name === reserved,
  )
}
