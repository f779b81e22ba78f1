/** What MCP servers say when they mean well. */
export function describedTool(name: string): Record<string, unknown> {
  return {
    name,
    title: "A title",
    description: "Says it again.",
    inputSchema: {
      type: "object",
      properties: {
        text: {
          type: "string",
          description: "What to say.",
          default: "a",
          "x-mcp-header": "X-Text",
        },
        list: { type: "array", items: { $ref: "#/$defs/one" }, maxItems: 5 },
        either: {
          anyOf: [
            { type: "integer", minimum: 1 },
            { type: "object", properties: { a: { const: 1 } } },
          ],
        },
      },
      required: ["text"],
      $defs: { one: { type: "string", pattern: "^a+$" } },
    },
    outputSchema: { type: "object", properties: { a: { type: "string" } } },
    annotations: { title: "Another", readOnlyHint: true },
  }
}

export const plainResult = {
  content: [
    { type: "text", text: "Hello." },
    { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
    { type: "resource_link", uri: "file:///a", name: "a", mimeType: "text/plain" },
    { type: "resource", resource: { uri: "file:///a/b.txt", text: "b", mimeType: "text/plain" } },
    { type: "resource", resource: { uri: "file:///a/c", blob: "aGVsbG8=" } },
  ],
  structuredContent: { a: "b" },
  isError: false,
  _meta: {},
}

export const notifications = [
  {
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: 1, progress: 0.5, message: "half" },
  },
  { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
  { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: { a: 1 } } },
  { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "x" } },
]

export const requests = [
  { jsonrpc: "2.0", id: 1, method: "ping" },
  { jsonrpc: "2.0", id: "a", method: "roots/list", params: {} },
  {
    jsonrpc: "2.0",
    id: 2,
    method: "sampling/createMessage",
    params: { messages: [], maxTokens: 1 },
  },
  {
    jsonrpc: "2.0",
    id: 3,
    method: "elicitation/create",
    params: { message: "x", requestedSchema: { type: "object", properties: {} } },
  },
]
