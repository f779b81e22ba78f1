import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { McpServerConfig, PolicyConfig } from "../../../src/config/index.ts"
import { readServers } from "../../../src/config/index.ts"
import { type Bridge, createBridge } from "../../../src/mcp/bridge/create-bridge.ts"
import { openToolkeep, type Session, type ToolkeepOptions } from "../../../src/session/index.ts"

export interface BridgeGround {
  readonly session: Session
  readonly bridge: Bridge
  readonly home: string
}

export async function temporaryHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-bridge-"))
  // Sandboxes have a user of their own, who has to walk there.
  await chmod(home, 0o755)
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 20 }))
  return home
}

/** A session with these servers bridged in, until the end of the test. */
export async function openBridge(
  config: PolicyConfig,
  options: ToolkeepOptions = {},
): Promise<BridgeGround> {
  const home = options.home ?? (await temporaryHome())
  let bridge: Bridge | undefined
  const keep = await openToolkeep({
    host: "memory",
    policy: config,
    ...options,
    home,
    sources: [
      (parts) => {
        bridge = createBridge(readServers(config), parts)
        return bridge
      },
    ],
  })
  onTestFinished(() => keep.close())
  const session = keep.session()
  if (!bridge) throw new Error("The session has opened no bridge.")
  return { session, bridge, home }
}

const prelude = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
const answer = (id, result) => send({ id, result })
const say = (id, text) => answer(id, { content: [{ type: "text", text }] })
let tools = [{
  name: "echo",
  description: "Says it again.",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
}]
const on = {
  initialize: ({ id, params }) => answer(id, {
    protocolVersion: params.protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "scripted", version: "1.0.0" },
  }),
  "tools/list": ({ id }) => answer(id, { tools }),
  "tools/call": ({ id, params }) => say(id, params.arguments.text ?? ""),
}
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line)
  if (on[message.method]) on[message.method](message)
  else if (message.method && message.id !== undefined) {
    send({ id: message.id, error: { code: -32601, message: "There is no such method." } })
  }
})
`

/** A server that speaks for itself, without any library: it echoes, but for what the script changes. */
export function scriptedServer(script = "", command = process.execPath): McpServerConfig {
  return { command, args: ["-e", prelude + script] }
}
