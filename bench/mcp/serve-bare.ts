// The reference: the SDK's own server with the same trivial tool, on lines or over HTTP.
import { randomUUID } from "node:crypto"
import { serve } from "@hono/node-server"
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { Hono } from "hono"
import { z } from "zod"

function create(): McpServer {
  const server = new McpServer({ name: "bare", version: "1.0.0" })
  const schema = z.object({ text: z.string() })
  server.registerTool(
    "echo",
    { description: "Says it again.", inputSchema: schema, outputSchema: schema },
    ({ text }) => ({ content: [{ type: "text", text }], structuredContent: { text } }),
  )
  return server
}

if (process.argv[2] === "http") {
  const modern = createMcpHandler(create, { legacy: "reject" })
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const app = new Hono()
  app.all("/mcp", async ({ req }) => {
    if (!(await isLegacyRequest(req.raw))) return modern.fetch(req.raw)
    const known = sessions.get(req.header("mcp-session-id") ?? "")
    if (known) return known.handleRequest(req.raw)
    const id = randomUUID()
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id })
    await create().connect(transport)
    sessions.set(id, transport)
    return transport.handleRequest(req.raw)
  })
  serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
    console.log(JSON.stringify({ url: `http://127.0.0.1:${port}/mcp`, token: "none" }))
  })
} else {
  await create().connect(new StdioServerTransport())
}
