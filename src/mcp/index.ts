export { bridgeServers, loadBridge, loadLogin } from "./bridge/bridge-servers.ts"
export type { ServerStatus } from "./bridge/bridged-server.ts"
export type { Bridge } from "./bridge/create-bridge.ts"
export { serverLimits } from "./limits.ts"
export {
  type HttpApp,
  type HttpOptions,
  type HttpServer,
  loadHttp,
  loadResults,
  loadStdio,
  type SocketHandler,
  type StdioOptions,
  serveHttp,
  serveStdio,
} from "./server/serve.ts"
export { serverStops } from "./server-stops.ts"
