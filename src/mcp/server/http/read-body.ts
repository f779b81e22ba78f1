import { limits } from "../../../contract/index.ts"
import { refuse } from "./refuse.ts"

export type Body =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "refused"; readonly response: Response }

/** The body of a request as JSON; one that is too large is not read to its end. */
export async function readBody(request: Request): Promise<Body> {
  const most = limits.mcp.messageBytes
  if (Number(request.headers.get("content-length")) > most) return tooLarge(most)
  const type = request.headers.get("content-type") ?? ""
  if (!/^application\/json\b/i.test(type)) {
    return { kind: "refused", response: refuse(415, "The body has to be application/json.") }
  }
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request.body ?? []) {
    size += part.length
    if (size > most) return tooLarge(most)
    parts.push(part)
  }
  try {
    return { kind: "json", value: JSON.parse(Buffer.concat(parts).toString("utf8")) }
  } catch {
    const error = { code: -32_700, message: "The body is not valid JSON." }
    const response = Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 })
    return { kind: "refused", response }
  }
}

function tooLarge(most: number): Body {
  const response = refuse(413, `The body is larger than ${most / 1024 ** 2} MiB.`, {
    Connection: "close",
  })
  return { kind: "refused", response }
}
