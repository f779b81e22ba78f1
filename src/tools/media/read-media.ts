import { type CallContext, requirePath } from "../../contract/index.ts"
import { trimEndOf } from "../../kit/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"
import { invalidArgument } from "../arguments.ts"

/** Media comes from a file of the sandbox or as base64. */
export interface MediaInput {
  readonly path?: string
  readonly data?: string
}

/** The whole of a file of the sandbox, or of what came as base64. */
export async function readMedia(
  input: MediaInput,
  context: CallContext,
  mostBytes: number,
): Promise<Uint8Array> {
  const source = requireOne(input)
  if (source.kind === "data") {
    const { bytes } = decodeBase64(source.data)
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
  throw invalidArgument(
    field,
    bytes === 0
      ? "The file is empty."
      : `The file has ${bytes} bytes; at most ${most} can be read. Make it smaller first.`,
    `a file of at most ${most} bytes`,
  )
}

type MediaSource =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "data"; readonly data: string }

/** The one of the two that is given. Models fill arguments that they don't use with blank text. */
export function requireOne(input: MediaInput): MediaSource {
  const path = input.path?.trim() ? input.path : undefined
  const data = input.data?.trim() ? input.data : undefined
  if (path !== undefined && data === undefined) return { kind: "path", path }
  if (data !== undefined && path === undefined) return { kind: "data", data }
  throw invalidArgument(
    path === undefined ? "path" : "data",
    path === undefined
      ? "No file is given: pass the path of one in the sandbox, or its bytes as base64 in data."
      : "Both path and data are given; pass one of them.",
    "either path or data",
  )
}

export interface DecodedData {
  readonly bytes: Uint8Array
  /** The type that a data URL says, or null. */
  readonly mimeType: string | null
}

/** The bytes of base64 text, with either alphabet, line breaks or the head of a data URL. */
export function decodeBase64(data: string): DecodedData {
  const head = /^data:([^;,]*)(?:;[^,]{0,100})?,/.exec(data.slice(0, 400))
  const body = data.slice(head?.[0].length ?? 0).replaceAll(/\s+/g, "")
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(body) || trimEndOf(body, "=").length % 4 === 1) {
    throw invalidArgument(
      "data",
      "data is not base64. Encode the file's bytes, or pass its path instead.",
      'base64, such as "iVBORw0KGgo..."',
    )
  }
  return { bytes: Buffer.from(body, "base64"), mimeType: head?.[1] || null }
}
