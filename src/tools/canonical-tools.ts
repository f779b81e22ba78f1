import type { Tool } from "../contract/index.ts"
import { codeTools } from "./code/code-tools.ts"
import { fileTools } from "./file/file-tools.ts"
import { memoryTools } from "./memory/memory-tools.ts"
import { processTools } from "./process/process-tools.ts"
import { sandboxTools } from "./sandbox/sandbox-tools.ts"
import { shellTools } from "./shell/shell-tools.ts"
import { systemTools } from "./system/system-tools.ts"
import type { ToolParts } from "./tool-parts.ts"
import { webTools } from "./web/web-tools.ts"

/**
 * Every canonical tool that a host with these capabilities can offer, always in the same order.
 * Definitions only: what a tool needs to run is loaded by its first call.
 */
export function canonicalTools(parts: ToolParts): readonly Tool[] {
  const { can, version } = parts
  return [
    ...fileTools(can),
    ...shellTools(can),
    ...processTools(can),
    ...codeTools(can),
    ...sandboxTools(parts),
    ...webTools(parts),
    ...memoryTools(parts),
    ...systemTools({ can, version }),
  ]
}
