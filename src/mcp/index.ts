export { type Bridge, bridgeServers, createBridge } from "./bridge/create-bridge.ts"
export { readServers, type ServerSpec } from "./bridge/server-spec.ts"
export type { ServerState, ServerStatus, ToolState, ToolStatus } from "./bridge/server-status.ts"
export { createApprovalDesk } from "./server/approval-desk.ts"
export { openAccessTokens } from "./server/http/access-tokens.ts"

/** Apart from the rest, because who bridges servers in need not be one. */
export async function loadLineServer(): Promise<typeof import("./server/serve-lines.ts")> {
  return import("./server/serve-lines.ts")
}

/** Apart from the rest, because a server on standard input and output needs nothing of HTTP. */
export async function loadHttpServer(): Promise<typeof import("./server/http/serve-http.ts")> {
  return import("./server/http/serve-http.ts")
}
