import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server"
import { isObject } from "../../../contract/index.ts"
import { callTool, type ToolRequest } from "../calls/call-tool.ts"
import type { McpClient } from "../calls/mcp-client.ts"

/**
 * For clients of the older generation, whose answers have one form: takes `tools/call` as it comes. The SDK
 * checks each call twice and each answer once against its schemas, which takes as long as a small tool;
 * Toolkeep checks the arguments anyway, and makes the answers itself.
 */
export function takeCallsPlainly(server: Server, client: McpClient): void {
  server.removeRequestHandler("tools/call")
  server.fallbackRequestHandler = async ({ method, params }, context) => {
    if (method !== "tools/call") {
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found")
    }
    const declared = server.getClientCapabilities()
    return callTool(client, { params: requireCall(params), context, declared })
  }
}

function requireCall(params: unknown): ToolRequest["params"] {
  if (isObject(params) && typeof params.name === "string") {
    const { name, arguments: given } = params
    if (given === undefined || isObject(given)) return { name, arguments: given }
  }
  const message =
    "tools/call needs params with the tool's name as text and, where there are any, its arguments as an object."
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
