import type { CallLimits, Capabilities } from "../../contract/index.ts"
import { editTool } from "./edit/edit-tool.ts"
import { writeTool } from "./edit/write-tool.ts"
import { patchTool } from "./patch/patch-tool.ts"
import { infoTool } from "./paths/info-tool.ts"
import { moveTool } from "./paths/move-tool.ts"
import { removeTool } from "./paths/remove-tool.ts"
import { listTool } from "./read/list-tool.ts"
import { readTool } from "./read/read-tool.ts"
import { globTool } from "./search/glob-tool.ts"
import { grepTool } from "./search/grep-tool.ts"

/** The tools for files, as far as a host with these capabilities can keep their word. */
export function fileTools(can: Capabilities, limits: CallLimits) {
  return [
    readTool(limits),
    writeTool(can),
    editTool(),
    patchTool(),
    listTool(),
    globTool(),
    grepTool(),
    infoTool(can),
    moveTool(),
    removeTool(),
  ]
}
