import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { bridgeServers } from "../../src/mcp/index.ts"
import { openToolkeep } from "../../src/session/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"
import { callEcho, warmUp } from "./started-server.ts"

const program = {
  command: process.execPath,
  args: [join(import.meta.dirname, "serve-bare.ts"), "lines"],
}

/** The SDK's own server, bridged in and called directly, in the same generation of the protocol. */
export async function bridgedCall(): Promise<BenchRow> {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-bench-"))
  const sources = [bridgeServers({ mcpServers: { bare: program } })]
  const keep = await openToolkeep({ host: "memory", home, sources })
  const session = keep.session()
  const direct = new Client(
    { name: "bench", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  )
  await direct.connect(new StdioClientTransport(program))
  const callBridged = async () => {
    const envelope = await session.call("mcp:bare:echo", { text: "hello" })
    if (!envelope.ok) throw new Error(envelope.message)
  }
  await warmUp(direct)
  for (let count = 0; count < 2_000; count += 1) await callBridged()
  const options = { rounds: 81, roundMs: 60 }
  const value = await measureTimeRatio(callBridged, () => callEcho(direct), options)
  await Promise.all([direct.close(), keep.close()])
  rmSync(home, { recursive: true, force: true })
  const what =
    "time of a call of a bridged server's trivial tool, against calling that server directly"
  return { id: "mcp-bridged-call", what, value, bar: 1.3, aim: 1.1, better: "lower" }
}
