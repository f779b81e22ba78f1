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
import { sessionTools } from "./sessions/session-tools.ts"
import { execTool } from "./shell/exec-tool.ts"
import { systemTools } from "./system/system-tools.ts"
import type { ToolDeps } from "./tool-deps.ts"
import { fetchTool } from "./web/fetch-tool.ts"
import { searchTool as webSearchTool } from "./web/search/search-tool.ts"
import { createWorkPool, openSessionWork } from "./work/session-work.ts"

type Families = ReturnType<typeof toolFamilies>

/** One of the tools that come with Toolkeep: its name, what it takes and what it answers. */
export type BuiltInTool = ReturnType<Families[keyof Families]>[number]

/**
 * Every canonical tool that a host with these capabilities can offer, always in the same order, by the first part of
 * their names. Definitions only: what a tool needs to run is loaded by its first call.
 */
export function toolFamilies(parts: ToolDeps) {
  const { can, version, limits } = parts
  const previews = sessionPreviews(parts)
  const work = openSessionWork(
    parts.work ?? createWorkPool(),
    // Sessions with a memory of their own have their own owner, such as each token of a server.
    parts.memory ?? "",
    parts.onClose,
  )
  return {
    file: trusted(() => fileTools(can, limits)),
    shell: trusted(() => [execTool({ can, limits, network: parts.sandboxes.network })]),
    process: trusted(() => processTools(can, limits)),
    code: trusted(() => codeTools(can, limits)),
    sandbox: trusted(() => sandboxTools(parts, previews)),
    web: trusted(() => [fetchTool(parts, work), webSearchTool(parts)]),
    browser: trusted(() => browserTools(parts, previews)),
    memory: trusted(() => memoryTools(parts)),
    media: trusted(() => [sendTool(parts)]),
    image: trusted(() => [analyzeTool(parts, work)]),
    audio: trusted(() => [transcribeTool(parts, work)]),
    artifact: trusted(() => [shareTool(parts)]),
    chart: trusted(() => [renderTool(parts, work)]),
    system: trusted(() => systemTools({ can, version, limits })),
    sessions: trusted(() => sessionTools(parts.sessions, parts.session)),
    tools: trusted(() => (parts.loading ? [searchTool(parts.loading)] : [])),
  }
}

/** A family whose definitions the tests check, and no process checks again. */
function trusted<Tools>(family: () => Tools): () => Tools {
  return () => defineTrusted(family)
}

/** All of them. */
export function canonicalTools(parts: ToolDeps): readonly BuiltInTool[] {
  return Object.values(toolFamilies(parts)).flatMap((family): readonly BuiltInTool[] => family())
}

/** The tools of an agent's session, which `createAgent` adds. */
export const agentToolNames: readonly string[] = ["task", "todo", "clarify", "complete"]

/** Names of tools that sessions bring, or will: nobody else's tool may have them. */
const reservedNames = [...agentToolNames, "sessions.*", "tools.search"]

export function isReservedName(name: string): boolean {
  return reservedNames.some((reserved) =>
    reserved.endsWith(".*") ? name.startsWith(reserved.slice(0, -1)) : name === reserved,
  )
}
