import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { ConsoleFixture } from "../../test/console/console-fixture.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

/** A small call by the API, against the same call of an MCP client to the same server. */
export async function httpCall({ url, token, client }: ConsoleFixture): Promise<BenchRow> {
  const mcp = new Client(
    { name: "bench", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  )
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  const endpoint = new URL("/mcp?session=by-mcp", url)
  await mcp.connect(new StreamableHTTPClientTransport(endpoint, { requestInit }))
  const byApi = async () => {
    const { envelope } = await client.request("calls.start", {
      ...{ session: "by-api", tool: "system.info", input: {} },
    })
    if (!Object(envelope).ok) throw new Error("The call failed.")
  }
  const byMcp = async () => {
    const { isError } = await mcp.callTool({ name: "system_info", arguments: {} })
    if (isError) throw new Error("The call failed.")
  }
  for (let count = 0; count < 500; count += 1) {
    await byApi()
    await byMcp()
  }
  const value = await measureTimeRatio(byApi, byMcp, { rounds: 41, roundMs: 60 })
  await mcp.close()
  const what = "time of system.info by the HTTP API, against an MCP client of the same server"
  return { id: "http-call", what, value, bar: 1.1, aim: 1, better: "lower" }
}
