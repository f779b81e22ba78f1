export type { ServerStatus } from "./bridge/bridged-server.ts"
export { findServer, readServers } from "./bridge/config/server-spec.ts"
export { type Bridge, bridgeServers, createBridge, loadLogin } from "./bridge/create-bridge.ts"
export { loadStdio, serveHttp, serveStdio } from "./server/serve.ts"
