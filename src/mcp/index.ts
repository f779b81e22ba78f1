export { findServer } from "./bridge/config/find-server.ts"
export { readServers, type ServerSpec } from "./bridge/config/server-spec.ts"
export { type Bridge, bridgeServers, createBridge } from "./bridge/create-bridge.ts"
export { loadLogin } from "./bridge/oauth/load-login.ts"
export type {
  ServerState,
  ServerStatus,
  ToolState,
  ToolStatus,
} from "./bridge/tools/server-status.ts"
export { createApprovalDesk } from "./server/calls/approval-desk.ts"
export { openAccessTokens } from "./server/http/access/access-tokens.ts"
export { loadHttpServer, loadLineServer } from "./server/load-servers.ts"
