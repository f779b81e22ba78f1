import { defineTrusted } from "../contract/index.ts"
import { artifactTools } from "./artifact/artifact-tools.ts"
import { audioTools } from "./audio/audio-tools.ts"
import { browserTools } from "./browser/browser-tools.ts"
import { chartTools } from "./chart/chart-tools.ts"
import { codeTools } from "./code/code-tools.ts"
import { fileTools } from "./file/file-tools.ts"
import { imageTools } from "./image/image-tools.ts"
import { mediaTools } from "./media/media-tools.ts"
import { memoryTools } from "./memory/memory-tools.ts"
import { processTools } from "./process/process-tools.ts"
import { sandboxTools } from "./sandbox/sandbox-tools.ts"
import { searchTool } from "./search/search-tool.ts"
import { sessionPreviews } from "./session-previews.ts"
import { shellTools } from "./shell/shell-tools.ts"
import { systemTools } from "./system/system-tools.ts"
import type { ToolDeps } from "./tool-deps.ts"
import { webTools } from "./web/web-tools.ts"
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
    ...shellTools(can),
    ...processTools(can),
    ...codeTools(can),
    ...sandboxTools(parts, previews),
    ...webTools(parts, work),
    ...browserTools(parts, previews),
    ...memoryTools(parts),
    ...mediaTools(parts),
    ...imageTools(parts, work),
    ...audioTools(parts, work),
    ...artifactTools(parts),
    ...chartTools(parts, work),
    ...systemTools({ can, version }),
    ...(parts.loading ? [searchTool(parts.loading)] : []),
  ])
}
