import { type CallContext, requirePath, ToolFailure } from "../../contract/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"
import { chartLimits } from "../limits.ts"
import type { ChartInput } from "./render-tool.ts"

/** The file of the sandbox that a chart is drawn from; null when its rows are given. */
export async function readTable(
  input: ChartInput,
  context: CallContext,
): Promise<Uint8Array | null> {
  const path = input.path?.trim() ? input.path : undefined
  if (input.rows !== undefined && path !== undefined) {
    throw refuse("rows", "Both rows and path are given; pass one of them.")
  }
  if (input.rows !== undefined) return null
  if (path === undefined) {
    throw refuse("rows", "No data is given: pass rows, or the path of a CSV or JSON file.")
  }
  return readFile(path, context)
}

async function readFile(asked: string, context: CallContext): Promise<Uint8Array> {
  const { signal } = context
  const workspace = await context.workspace()
  const path = requirePath(asked, workspace, "path")
  const { type, size } = await workspace.stat(path, { signal })
  if (type === "directory") throw new WorkspaceError("is-directory", asked)
  if (type === "other") throw new WorkspaceError("not-file", asked)
  const most = chartLimits.fileBytes
  if (size > most) {
    throw refuse("path", `The file has ${size} bytes; a chart reads at most ${most}. Aggregate it.`)
  }
  return workspace.readFileBuffer(path, { length: most, signal })
}

function refuse(field: "rows" | "path", message: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message, field })
}
