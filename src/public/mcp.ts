// `toolkeep/mcp`: serve tools to MCP clients, and use the tools of other MCP servers.
export {
  bridgeServers,
  type HttpOptions,
  type HttpServer,
  type StdioOptions,
  serveHttp,
  serveStdio,
} from "../mcp/index.ts"
