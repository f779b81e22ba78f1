import { type BadMessage, invalidRequest } from "../../calls/read-message.ts"

/** An error of the HTTP server's own, in the protocol's form. */
export function refuse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const code = status === 400 ? invalidRequest : otherError
  const body = { jsonrpc: "2.0", id: null, error: { code, message } }
  return Response.json(body, { status, headers })
}

/** For a body that is not a message. */
export function refuseMessage({ code, problem, id }: BadMessage): Response {
  return Response.json({ jsonrpc: "2.0", id, error: { code, message: problem } }, { status: 400 })
}

const otherError = -32_000
