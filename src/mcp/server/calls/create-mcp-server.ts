import { Server } from "@modelcontextprotocol/server"
import { type McpTool, renderTools, type ToolDescription } from "../../../contract/index.ts"
import { version } from "../../../session/index.ts"
import { listArtifacts, readResource } from "./artifact-resources.ts"
import { callTool } from "./call-tool.ts"
import type { McpClient } from "./mcp-client.ts"

const instructions =
  "Tools that run in a sandbox: paths start in its home directory, and a relative path is the safest. " +
  "Each answer is an envelope with ok, and result or kind and message; a message says what to do next. " +
  "Where tools_search is listed, it finds tools that are not."

/**
 * What a client talks to: the session's tools and artifacts. The SDK's low-level class, because Toolkeep
 * itself repairs, checks and judges the input of a call.
 */
export function createMcpServer(client: McpClient): Server {
  const server = new Server(
    { name: "toolkeep", title: "Toolkeep", version },
    {
      capabilities: { tools: { listChanged: true }, resources: {} },
      instructions,
      requestState: { verify: client.states.verify },
    },
  )
  const { artifacts } = client.session
  server.setRequestHandler("tools/list", async () => {
    await client.session.prepare()
    return { tools: client.tools().map(describe) as never }
  })
  server.setRequestHandler("tools/call", ({ params }, context) =>
    callTool(client, { params, context, declared: server.getClientCapabilities() }),
  )
  server.setRequestHandler("resources/list", () => listArtifacts(artifacts))
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }))
  server.setRequestHandler("resources/read", ({ params }) => readResource(artifacts, params.uri))
  return server
}

const described = new WeakMap<ToolDescription, McpTool>()

/** A tool never changes, so it is rendered once. */
function describe(tool: ToolDescription): McpTool {
  const known = described.get(tool)
  if (known) return known
  const [rendered] = renderTools("mcp", [tool])
  if (rendered) described.set(tool, rendered)
  return rendered as McpTool
}

/** Notifies a connected client when its list of tools has changed, until the server closes. */
export function announceTools(client: McpClient, server: Server): void {
  const stop = client.session.watchTools(() => {
    // A client that is gone needs no list.
    server.sendToolListChanged().catch(() => {})
  })
  const { onclose } = server
  server.onclose = () => {
    stop()
    onclose?.()
  }
}
