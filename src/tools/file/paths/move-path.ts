import {
  type CallContext,
  isInside,
  requirePath,
  ToolFailure,
  type Workspace,
} from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { readLink } from "./read-link.ts"

export interface MoveRequest {
  readonly from: string
  readonly to: string
  readonly overwrite: boolean
}

export async function movePath({ from, to, overwrite }: MoveRequest, context: CallContext) {
  const { signal } = context
  const workspace = await context.workspace()
  const source = requirePath(from, workspace, "from")
  const target = requirePath(to, workspace, "to")
  if (isInside(source, target)) throw refused(intoItself(source, target), "to", "another path")
  const found = await lookAt(workspace, target, signal)
  if (found === "directory") {
    const example = JSON.stringify(`${to.replace(/\/+$/, "")}/name`)
    throw refused(
      `${JSON.stringify(to)} is a directory, which is never replaced.`,
      "to",
      `a path in it, such as ${example}`,
    )
  }
  if (found !== null && !overwrite) {
    throw refused(
      `${JSON.stringify(to)} is there already; set overwrite to true to replace it.`,
      "to",
      "a path where nothing is, or overwrite",
    )
  }
  await workspace.rename(source, target, { signal })
  return { kind: "move" as const, from, to, overwritten: found !== null }
}

/** What stands at a path; a link that leads nowhere, or out of the workspace, is something as well. */
async function lookAt(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
): Promise<"directory" | "something" | null> {
  if ((await readLink(workspace, path, signal)) !== null) return "something"
  try {
    const { type } = await workspace.stat(path, { signal })
    return type === "directory" ? "directory" : "something"
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === "not-found") return null
    throw error
  }
}

function intoItself(source: string, target: string): string {
  return source === target
    ? "The new path is the old one, so nothing would move."
    : "A directory can't be moved into itself."
}

function refused(message: string, field: string, expected: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message, field, expected })
}
