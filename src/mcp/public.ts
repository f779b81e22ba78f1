export { bridgeServers } from "./bridge/create-bridge.ts"
export {
  type HttpOptions,
  type HttpServer,
  type StdioOptions,
  serveHttp,
  serveStdio,
} from "./server/serve.ts"
