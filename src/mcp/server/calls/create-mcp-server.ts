import { Server } from "@modelcontextprotocol/server"
import type { McpTool } from "../../../contract/index.ts"
import { version } from "../../../session/index.ts"
import { describeEnvironment } from "../../../tools/index.ts"
import { serverLimits } from "../../limits.ts"
import { callTool } from "./call-tool.ts"
import type { McpClient } from "./mcp-client.ts"
import { listResources, readResource } from "./resources.ts"

/** What a client tells its model once about all tools. */
function instructionsFor({ session, options: { mountRoots }, results }: McpClient): string {
  const { host, network } = session.sandboxes
  const where = host.can.home === undefined ? "in its home directory" : `in ${host.can.home}`
  const roots = "The client's roots are in /mnt, each under its name, "
  return [
    `Commands and files are ${host.can.isolation === "none" ? "on the user's machine" : "in a sandbox"}. ${describeEnvironment({ can: host.can, network })}`,
    mountRoots && `${roots}${mountRoots === "write" ? "and can be changed" : "to read only"}.`,
    `Paths start ${where}; relative ones are the safest.`,
    results === "text"
      ? "The message of a failure says what to do next."
      : "Each answer is an envelope with ok, and result or kind and message; a message says what to do next.",
    "Where tools_search is listed, it finds tools that are not.",
  ]
    .filter(Boolean)
    .join(" ")
}

/**
 * What a client talks to: the session's tools and artifacts. The SDK's low-level class, because Toolkeep
 * itself repairs, checks and judges the input of a call.
 */
export function createMcpServer(client: McpClient, connection?: string): Server {
  const server = new Server(
    { name: "toolkeep", title: "Toolkeep", version },
    {
      capabilities: { tools: { listChanged: true }, resources: {} },
      instructions: instructionsFor(client),
      requestState: { verify: client.states.verify },
    },
  )
  server.setRequestHandler("tools/list", async () => {
    await client.session.prepare()
    return { tools: client.tools().map((tool) => listed(tool, client)) as never }
  })
  server.setRequestHandler("tools/call", ({ params }, context) =>
    callTool(client, { params, context, connection, declared: server.getClientCapabilities() }),
  )
  server.setRequestHandler("resources/list", () => listResources(client))
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }))
  server.setRequestHandler("resources/read", ({ params }) => readResource(client, params.uri))
  return server
}

/** Clients expect structured content of a tool that has a schema for it. */
function listed({ outputSchema, ...tool }: McpTool, { results }: McpClient) {
  const shown = {
    ...tool,
    _meta: { "anthropic/maxResultSizeChars": serverLimits.listedCharacters },
  }
  return results === "text" ? shown : { ...shown, outputSchema }
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
