import { join } from "node:path"
import { findServer, type ServerSpec } from "../../config/index.ts"
import { apiNameOf, ToolFailure } from "../../contract/index.ts"
import { withAbort } from "../../kit/index.ts"
import type { SourceDeps, ToolSource } from "../../session/index.ts"
import { BridgedServer, type ServerStatus } from "./bridged-server.ts"
import { loginsIn } from "./oauth/logins.ts"
import { approvalsIn } from "./tools/approvals.ts"

/** The MCP servers of one session. */
export interface Bridge extends ToolSource {
  list(): readonly ServerStatus[]
  /** Approves the present definitions of all tools of a server, or of one; resolves with their names. */
  approve(server: string, tool?: string): Promise<readonly string[]>
}

export function createBridge(specs: readonly ServerSpec[], source: SourceDeps): Bridge {
  const approvals = approvalsIn(join(source.home, "mcp", "approved.json"))
  const deps = { ...source, approvals, logins: loginsIn(source.home), environment: process.env }
  const servers = specs.map((spec) => new BridgedServer(spec, deps))

  async function prepare(tool?: string, signal?: AbortSignal): Promise<void> {
    const asked = tool === undefined ? servers : servers.filter(({ spec }) => isOf(tool, spec))
    if (asked.length === 0) return
    // For a caller that is gone, the servers go on starting: the next one needs them.
    const prepared = Promise.all(asked.map((server) => server.prepare()))
    await withAbort(prepared, signal).catch((error) => {
      if (!signal?.aborted) throw error
    })
    await Promise.all(asked.map((server) => server.reconsider()))
    const [only, another] = asked
    if (tool === undefined || !only || another || signal?.aborted) return
    requireReady(only)
  }

  return {
    prepare,
    list: () => servers.map((server) => server.status()),
    async approve(name, tool) {
      const spec = findServer(specs, name)
      const server = servers.find((one) => one.spec === spec)
      if (!server) return []
      await server.prepare()
      requireReady(server)
      return server.approve(tool)
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

function requireReady(server: BridgedServer): void {
  const message = server.whyNotReady()
  if (message !== null) throw new ToolFailure({ kind: "unavailable", message })
}

/** By either of the names that a tool of that server can be called by. */
function isOf(tool: string, { name }: ServerSpec): boolean {
  return tool.startsWith(`mcp:${name}:`) || tool.startsWith(apiNameOf(`mcp:${name}:`))
}
