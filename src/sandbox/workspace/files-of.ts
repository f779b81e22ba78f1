import type { Workspace } from "../../contract/index.ts"

const names = [
  "cwd",
  "readFile",
  "readFileBuffer",
  "writeFile",
  "stat",
  "readdir",
  "exists",
  "mkdir",
  "remove",
  "rename",
  "copy",
] as const

/** The file operations alone, for programs that need no commands. */
export type WorkspaceFiles = Pick<Workspace, (typeof names)[number]>

export function filesOf(workspace: Workspace): WorkspaceFiles {
  return Object.fromEntries(
    names.map((name) => [name, workspace[name]]),
  ) as unknown as WorkspaceFiles
}
