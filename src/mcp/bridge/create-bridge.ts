import { join } from "node:path"
import type { PolicyConfig } from "../../config/index.ts"
import { readServers, type ServerSpec } from "../../config/index.ts"
import { apiNameOf, ToolFailure } from "../../contract/index.ts"
import type { OpenToolSource, SourceParts, ToolSource } from "../../session/index.ts"
import { BridgedServer } from "./bridged-server.ts"
import { findServer } from "./config/find-server.ts"
import { loginsIn } from "./oauth/logins.ts"
import { approvalsIn } from "./tools/approvals.ts"
import type { ServerStatus } from "./tools/server-status.ts"

/** The MCP servers of one session. */
export interface Bridge extends ToolSource {
  list(): readonly ServerStatus[]
  /** Takes the definitions as they are now, of one tool or of all; resolves with the tools' names. */
  approve(server: string, tool?: string): Promise<readonly string[]>
}

/**
 * The tools of a configuration's MCP servers, as `sources` of `openToolkeep`. Each session has servers
 * of its own. None starts before the tools are listed (`session.prepare()`) or one of them is called.
 */
export function bridgeServers(config: PolicyConfig): OpenToolSource {
  const specs = readServers(config)
  return (parts) => createBridge(specs, parts)
}

export function createBridge(specs: readonly ServerSpec[], parts: SourceParts): Bridge {
  const approvals = approvalsIn(join(parts.home, "mcp", "approved.json"))
  const all = { ...parts, approvals, logins: loginsIn(parts.home), environment: process.env }
  const servers = specs.map((spec) => new BridgedServer(spec, all))

  async function prepare(tool?: string, signal?: AbortSignal): Promise<void> {
    const asked = tool === undefined ? servers : servers.filter(({ spec }) => isOf(tool, spec))
    if (asked.length === 0) return
    await untilCancelled(Promise.all(asked.map((server) => server.prepare())), signal)
    await Promise.all(asked.map((server) => server.reconsider()))
    const [only, another] = asked
    if (tool === undefined || !only || another || signal?.aborted) return
    const message = only.whyNotReady()
    if (message !== null) throw new ToolFailure({ kind: "unavailable", message })
  }

  return {
    prepare,
    list: () => servers.map((server) => server.status()),
    async approve(name, tool) {
      const wanted = findServer(specs, name)
      const [server] = servers.filter(({ spec }) => spec === wanted)
      if (!server) return []
      await server.prepare()
      const message = server.whyNotReady()
      if (message !== null) throw new ToolFailure({ kind: "unavailable", message })
      return server.approve(tool)
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

/** By either of the names that a tool of that server can be called by. */
function isOf(tool: string, { name }: ServerSpec): boolean {
  return tool.startsWith(`mcp:${name}:`) || tool.startsWith(apiNameOf(`mcp:${name}:`))
}

/** The servers go on starting for whoever asks next. */
function untilCancelled(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  if (!signal) return work
  return Promise.race([
    work,
    new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      signal.addEventListener("abort", () => resolve(), { once: true })
    }),
  ])
}
