import type { Capabilities } from "../../contract/index.ts"
import { editTool } from "./edit-tool.ts"
import { globTool } from "./glob-tool.ts"
import { grepTool } from "./grep-tool.ts"
import { infoTool } from "./info-tool.ts"
import { listTool } from "./list-tool.ts"
import { moveTool } from "./move-tool.ts"
import { patchTool } from "./patch-tool.ts"
import { readTool } from "./read-tool.ts"
import { removeTool } from "./remove-tool.ts"
import { writeTool } from "./write-tool.ts"

/** The tools for files, as far as a host with these capabilities can keep their word. */
export function fileTools(can: Capabilities) {
  const search = can.ripgrep === null || !can.argumentLists ? [] : [globTool(), grepTool()]
  return [
    readTool(),
    writeTool(can),
    editTool(),
    patchTool(),
    listTool(),
    ...search,
    infoTool(can),
    moveTool(),
    removeTool(),
  ]
}
