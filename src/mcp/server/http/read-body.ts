import { isJsonContentType } from "@modelcontextprotocol/server"
import { serverLimits } from "../../limits.ts"
import { type BadMessage, checkMessage, parseError } from "../calls/read-message.ts"
import { refuse, refuseMessage } from "./access/refuse.ts"

export type Body =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "refused"; readonly response: Response }

/** The message in a request's body. One that is too large, or has no room now, is not read to its end. */
export async function readBody(
  request: Request,
  hasRoom: (bytes: number) => boolean,
): Promise<Body> {
  const most = serverLimits.messageBytes
  if (Number(request.headers.get("content-length")) > most) return tooLarge(most)
  if (!isJsonContentType(request.headers.get("content-type"))) {
    return { kind: "refused", response: refuse(415, "The body must be application/json.") }
  }
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request.body ?? []) {
    size += part.length
    if (size > most) return tooLarge(most)
    if (!hasRoom(part.length)) return noRoom()
    parts.push(part)
  }
  const read = readMessages(Buffer.concat(parts).toString("utf8"), request)
  if (read.kind === "json") return read
  return { kind: "refused", response: refuseMessage(read) }
}

function readMessages(
  text: string,
  { headers }: Request,
): Extract<Body, { kind: "json" }> | BadMessage {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: "bad", code: parseError, problem: "The body is not valid JSON.", id: null }
  }
  const version = headers.get("mcp-protocol-version") ?? versionWithArrays
  const mayBeArray = version === versionWithArrays && Array.isArray(value) && value.length > 0
  const messages: unknown[] = []
  for (const one of mayBeArray ? (value as unknown[]) : [value]) {
    const checked = checkMessage(one)
    if (checked.kind === "bad") return checked
    messages.push(checked.message)
  }
  return { kind: "json", value: mayBeArray ? messages : messages[0] }
}

/** The only version with arrays of messages, and the version of clients that name none. */
const versionWithArrays = "2025-03-26"

function tooLarge(most: number): Body {
  const response = refuse(413, `The body is larger than ${most / 1024 ** 2} MiB.`, {
    Connection: "close",
  })
  return { kind: "refused", response }
}

function noRoom(): Body {
  const message = "This token has reached its limit for the size of all its running requests."
  const response = refuse(503, message, { "Retry-After": "1", Connection: "close" })
  return { kind: "refused", response }
}
