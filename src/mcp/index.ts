export { createApprovalDesk } from "./server/approval-desk.ts"
export { openAccessTokens } from "./server/http/access-tokens.ts"
export { serveLines } from "./server/serve-lines.ts"

/** Apart from the rest, because a server on standard input and output needs nothing of HTTP. */
export async function loadHttpServer(): Promise<typeof import("./server/http/serve-http.ts")> {
  return import("./server/http/serve-http.ts")
}
