import type { Workspace } from "../contract/index.ts"

/** The file operations alone, for programs that need no commands. */
export type WorkspaceFiles = Pick<
  Workspace,
  "cwd" | "readFile" | "readFileBuffer" | "writeFile" | "stat" | "readdir" | "exists"
>

export function filesOf(workspace: Workspace): WorkspaceFiles {
  const { cwd, readFile, readFileBuffer, writeFile, stat, readdir, exists } = workspace
  return { cwd, readFile, readFileBuffer, writeFile, stat, readdir, exists }
}
