import { ToolFailure } from "../../contract/index.ts"

export type MediaSource =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "data"; readonly data: string }

/** Media comes from a file of the sandbox or as base64, from exactly one of them. */
export function requireOne(input: { readonly path?: string; readonly data?: string }): MediaSource {
  const path = input.path?.trim() ? input.path : undefined
  const data = input.data?.trim() ? input.data : undefined
  if (path !== undefined && data === undefined) return { kind: "path", path }
  if (data !== undefined && path === undefined) return { kind: "data", data }
  throw new ToolFailure({
    kind: "invalid_args",
    message:
      path === undefined
        ? "No file is given: pass the path of one in the sandbox, or its bytes as base64 in data."
        : "Both path and data are given; pass one of them.",
    field: path === undefined ? "path" : "data",
    expected: "either path or data",
  })
}
