import { type CallContext, requirePath, ToolFailure } from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"

export interface RemoveRequest {
  readonly path: string
  readonly recursive: boolean
}

export async function removePath(request: RemoveRequest, { workspace, signal }: CallContext) {
  const { path, recursive } = request
  const files = await workspace()
  try {
    await files.remove(requirePath(path, files, "path"), { recursive, signal })
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.code !== "not-empty") throw error
    throw new ToolFailure(
      {
        kind: "invalid_args",
        message: `${error.message} Set recursive to true to remove all of it.`,
        field: "recursive",
        expected: "true for a directory with something in it",
      },
      { cause: error },
    )
  }
  return { kind: "remove" as const, path }
}
