import { ToolFailure } from "../../contract/index.ts"

export interface DecodedData {
  readonly bytes: Uint8Array
  /** The type that a data URL says, or null. */
  readonly mimeType: string | null
}

/** The bytes of base64 text, with either alphabet, line breaks or the head of a data URL. */
export function decodeBase64(data: string, field: string): DecodedData {
  const head = /^data:([^;,]*)(?:;[^,]{0,100})?,/.exec(data.slice(0, 400))
  const body = data.slice(head?.[0].length ?? 0).replaceAll(/\s+/g, "")
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(body) || body.replace(/=+$/, "").length % 4 === 1) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: `${field} is not base64. Encode the file's bytes, or pass its path instead.`,
      field,
      expected: 'base64, such as "iVBORw0KGgo..."',
    })
  }
  return { bytes: Buffer.from(body, "base64"), mimeType: head?.[1] || null }
}
