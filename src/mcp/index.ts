export type { ServerStatus } from "./bridge/bridged-server.ts"
export { type Bridge, bridgeServers, createBridge, loadLogin } from "./bridge/create-bridge.ts"
export { serverLimits } from "./limits.ts"
export {
  type HttpOptions,
  type HttpServer,
  loadStdio,
  type StdioOptions,
  serveHttp,
  serveStdio,
} from "./server/serve.ts"
