export type { ServerStatus } from "./bridge/bridged-server.ts"
export { type Bridge, bridgeServers, createBridge, loadLogin } from "./bridge/create-bridge.ts"
export { loadStdio, serveHttp, serveStdio } from "./server/serve.ts"
