import type { SessionPreviews } from "../session-previews.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { browseTool } from "./browse-tool.ts"
import { createSandboxTool } from "./create-tool.ts"
import { destroyTool } from "./destroy-tool.ts"
import { forkTool } from "./fork-tool.ts"
import { listSandboxesTool } from "./list-tool.ts"
import { snapshotTool } from "./snapshot-tool.ts"
import { transferTool } from "./transfer-tool.ts"

/** The tools that make, join and end the session's sandboxes. */
export function sandboxTools(parts: ToolDeps, previews: SessionPreviews) {
  const { ports, snapshots } = parts.can
  return [
    createSandboxTool(parts),
    listSandboxesTool(parts),
    transferTool(parts),
    ...(ports ? [browseTool(parts, previews)] : []),
    ...(snapshots ? [snapshotTool(parts), forkTool(parts)] : []),
    destroyTool(parts),
  ]
}
