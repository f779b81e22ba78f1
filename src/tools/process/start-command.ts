import { requirePath, type Workspace } from "../../contract/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"

/** Where a command starts: the workspace's own directory, or the one that the call names. */
export async function startDirectory(
  workspace: Workspace,
  cwd: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (cwd === undefined) return workspace.cwd
  const path = requirePath(cwd, workspace, "cwd")
  const { type } = await workspace.stat(path, { signal })
  if (type !== "directory") throw new WorkspaceError("not-directory", path)
  return path
}

/** On the command's own first line, so that the line numbers in bash's messages stay true. */
const pipefail = "set -o pipefail; "

export function withPipefail(command: string): string {
  return `${pipefail}${command}`
}

/** The command as its caller wrote it. */
export function withoutPipefail(command: string): string {
  return command.startsWith(pipefail) ? command.slice(pipefail.length) : command
}
