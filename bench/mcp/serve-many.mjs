// The reference for the start: the SDK's own server with as many tools as it is told.
import { McpServer } from "@modelcontextprotocol/server"
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { z } from "zod"

const server = new McpServer({ name: "bare", version: "1.0.0" })
for (let number = 0; number < Number(process.argv[2]); number += 1) {
  const inputSchema = z.object({
    path: z.string().describe("A path."),
    limit: z.int().min(1).max(1000).default(100).describe("At most so many."),
  })
  const outputSchema = z.object({ text: z.string() })
  const description = "One of many tools, with a description of about the usual length."
  server.registerTool(`tool_${number}`, { description, inputSchema, outputSchema }, () => ({
    content: [],
    structuredContent: { text: "" },
  }))
}
await server.connect(new StdioServerTransport())
