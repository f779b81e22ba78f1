import { type CallContext, requirePath, ToolFailure } from "../../contract/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"
import { decodeBase64 } from "./decode-base64.ts"
import { requireOne } from "./require-one.ts"

/** The whole of a file of the sandbox, or of what came as base64. */
export async function readMedia(
  input: { readonly path?: string; readonly data?: string },
  context: CallContext,
  mostBytes: number,
): Promise<Uint8Array> {
  const source = requireOne(input)
  if (source.kind === "data") {
    const { bytes } = decodeBase64(source.data, "data")
    requireSize(bytes.length, mostBytes, "data")
    return bytes
  }
  const { signal } = context
  const workspace = await context.workspace()
  const path = requirePath(source.path, workspace, "path")
  const { type, size } = await workspace.stat(path, { signal })
  if (type === "directory") throw new WorkspaceError("is-directory", source.path)
  if (type === "other") throw new WorkspaceError("not-file", source.path)
  requireSize(size, mostBytes, "path")
  return workspace.readFileBuffer(path, { length: mostBytes, signal })
}

function requireSize(bytes: number, most: number, field: "path" | "data"): void {
  if (bytes > 0 && bytes <= most) return
  throw new ToolFailure({
    kind: "invalid_args",
    message:
      bytes === 0
        ? "The file is empty."
        : `The file has ${bytes} bytes; at most ${most} can be read. Make it smaller first.`,
    field,
    expected: `a file of at most ${most} bytes`,
  })
}
