import { type CallContext, defineTool, type InferSchema, limits } from "../../contract/index.ts"
import { previewLimits } from "../../sandbox/index.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { integer, object } from "../schemas.ts"
import type { SessionPreviews } from "../session-previews.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { requireKnown } from "./known-sandbox.ts"

const inputSchema = object({
  port: integer("The port that the server inside listens on, such as 8000.", {
    minimum: 1,
    maximum: 65_535,
  }),
  path: {
    type: "string",
    pattern: "^/",
    maxLength: limits.pathBytes,
    default: "/",
    description: 'The page to open there, such as "/docs?page=2".',
  },
  wait_ms: integer("How long a server that is just starting is waited for, such as 30000.", {
    minimum: 0,
    maximum: previewLimits.waitMsMost,
    default: previewLimits.waitMs,
  }),
  "sandbox?": sandboxArgument,
})

type BrowseInput = InferSchema<typeof inputSchema>

const outputSchema = object({
  kind: { const: "preview" },
  url: { type: "string" },
  port: { type: "integer" },
  sandbox: { type: "string" },
})

/** sandbox.browse: the address of a server inside, for a browser on this machine. */
export function browseTool(parts: ToolDeps, previews: SessionPreviews) {
  return defineTool({
    name: "sandbox.browse",
    title: "Preview a server",
    description:
      "Gives a URL with which a browser on this machine opens a web server that runs in a sandbox, WebSockets included. " +
      "Start the server in the background first; it is waited for. The URL works until the session ends. " +
      'Example: {"port": 8000, "sandbox": "backend"}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["runtime"],
    effects: ["network"],
    sandbox: namedSandbox,
    async run(input: BrowseInput, context: CallContext) {
      if (input.sandbox !== undefined && input.sandbox !== "default") {
        requireKnown(parts.sandboxes, input.sandbox, "sandbox")
      }
      const { waitForServer } = await import("./wait-for-server.ts")
      const workspace = await context.workspace()
      await waitForServer(workspace, input, context.signal)
      const target = { sandbox: workspace.name, port: input.port }
      const origin = await previews.url(target)
      const url = new URL(`${origin.slice(0, -1)}${input.path}`).href
      return { kind: "preview" as const, url, ...target }
    },
    show: ({ url }) => url,
  })
}
