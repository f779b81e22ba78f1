/** An answer of the HTTP server's own, in the form that clients of the protocol read. */
export function refuse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const code = status === 400 ? -32_600 : -32_000
  const body = { jsonrpc: "2.0", id: null, error: { code, message } }
  return Response.json(body, { status, headers })
}
