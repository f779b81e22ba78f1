import { setTimeout as pause } from "node:timers/promises"
import {
  defineTool,
  integer,
  limits,
  object,
  ToolFailure,
  type Workspace,
} from "../../contract/index.ts"
import { previewLimits } from "../../sandbox/index.ts"
import { namedSandbox, sandboxArgument, waitRange } from "../arguments.ts"
import type { SessionPreviews } from "../session-previews.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { requireKnown } from "./sandbox-status.ts"

/** sandbox.browse: the address of a server inside, for a browser on this machine. */
export function browseTool(parts: ToolDeps, previews: SessionPreviews) {
  return defineTool({
    name: "sandbox.browse",
    title: "Preview a server",
    description:
      "Gives a URL that opens a web server of a sandbox in a browser on this machine, until the session ends. " +
      "Start the server in the background first; the call waits for it. " +
      'Example: {"port": 8000, "sandbox": "backend"}.',
    input: object({
      port: integer("The server's port.", {
        minimum: 1,
        maximum: 65_535,
      }),
      path: {
        type: "string",
        pattern: "^/",
        maxLength: limits.pathBytes,
        default: "/",
        description: 'The page, such as "/docs?page=2".',
      },
      wait_ms: integer("Milliseconds to wait for it at most, such as 30000.", {
        minimum: 0,
        ...waitRange(parts.limits, previewLimits.waitMsMost, previewLimits.waitMs),
      }),
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "preview" },
      url: { type: "string" },
      port: { type: "integer" },
      sandbox: { type: "string" },
    }),
    groups: ["runtime"],
    effects: ["network"],
    sandbox: namedSandbox,
    async run(input, context) {
      if (input.sandbox !== undefined && input.sandbox !== "default") {
        requireKnown(parts.sandboxes, input.sandbox, "sandbox")
      }
      const workspace = await context.workspace()
      await waitForServer(workspace, input, context.signal)
      const target = { sandbox: workspace.name, port: input.port }
      const origin = await previews.url(target)
      const url = new URL(`${origin.slice(0, -1)}${input.path}`).href
      return { kind: "preview", url, ...target }
    },
    show: ({ url }) => url,
  })
}

interface ServerRequest {
  readonly port: number
  readonly wait_ms: number
}

/** Until something listens on the port; fails when nothing does in time. */
async function waitForServer(
  workspace: Workspace,
  { port, wait_ms }: ServerRequest,
  signal: AbortSignal,
): Promise<void> {
  const started = performance.now()
  const { lookMs, lookMsMost } = previewLimits
  for (let step: number = lookMs; ; step = Math.min(step * 2, lookMsMost)) {
    const problem = await problemWith(workspace, port, signal)
    if (problem === null) return
    const left = wait_ms - (performance.now() - started)
    if (left <= 0) throw problem
    await pause(Math.min(step, left), undefined, { signal })
  }
}

async function problemWith(
  workspace: Workspace,
  port: number,
  signal: AbortSignal,
): Promise<ToolFailure | null> {
  try {
    const connection = await workspace.connect(port, { signal })
    connection.close()
    return null
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolFailure)) throw error
    const remedy = "Start the server in the background, look at its output, then try again."
    return new ToolFailure({
      kind: error.kind,
      message: `${error.message} ${remedy}`,
      field: "port",
    })
  }
}
