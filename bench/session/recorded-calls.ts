import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { defineTool } from "../../src/contract/index.ts"
import { createId } from "../../src/kit/index.ts"
import { type CallEntries, openToolkeep, type Session } from "../../src/session/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"
import { callEcho, warmUp } from "../mcp/started-server.ts"
import { openBareInserts } from "./bare-inserts.ts"

const better = "lower"

/** It may change something, as far as anybody knows, so that its start is recorded too. */
const addTool = defineTool({
  name: "bench.add",
  description: "Adds two numbers.",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
    additionalProperties: false,
  } as const,
  run: ({ a, b }) => ({ sum: a + b }),
})

/** The call of a trivial tool, against the same call without a record and the inserts by hand. */
export async function recordedCall(directory: string): Promise<BenchRow> {
  const options = { host: "memory", tools: [addTool] } as const
  await using keeping = await openToolkeep({
    ...{ ...options, home: join(directory, "keeping"), record: true },
  })
  await using plain = await openToolkeep({ ...options, home: join(directory, "plain") })
  using bare = await openBareInserts(join(directory, "by-hand.db"))
  const [recorded, unrecorded] = [keeping.session("bench"), plain.session("bench")]
  const input = { a: 1, b: 2 }
  // As it is recorded, so that the rows are the same.
  const verdict = (await verdictOf(recorded, input)) ?? null
  const byHand = async () => {
    const call = createId("call")
    bare.started(call, { call, tool: "bench.add", input, verdict, sandbox: "default" })
    const envelope = await unrecorded.call("bench.add", input)
    bare.ended(call, { call, envelope, duration_ms: 0 })
  }
  return {
    id: "session-recorded-call",
    what: "time of a recorded call of a trivial tool, against the call and such an insert",
    value: await measureTimeRatio(() => recorded.call("bench.add", input), byHand, {
      rounds: 31,
      roundMs: 200,
    }),
    ...{ bar: 1.5, aim: 1.2, better },
  }
}

async function verdictOf(session: Session, input: unknown): Promise<unknown> {
  await session.start("bench.add", input).envelope
  const record = await session.record?.()
  const [entry] = (await record?.entries()) ?? []
  return (entry?.body as CallEntries["call"] | undefined)?.verdict
}

/** A command in a sandbox, recorded against not. */
export async function recordedExec(directory: string): Promise<BenchRow> {
  await using keeping = await openToolkeep({
    ...{ host: "bubblewrap", home: join(directory, "keeping-exec"), record: true },
  })
  await using plain = await openToolkeep({ host: "bubblewrap", home: join(directory, "exec") })
  const [recorded, unrecorded] = [keeping.session("bench"), plain.session("bench")]
  const input = { command: "true" }
  const value = await measureTimeRatio(
    () => recorded.call("shell.exec", input),
    () => unrecorded.call("shell.exec", input),
    { rounds: 31, roundMs: 200 },
  )
  const what = "time of a bubblewrap `true`, recorded against not recorded"
  return { id: "session-recorded-exec", what, value, bar: 1.1, aim: 1.05, better }
}

/** A trivial tool over MCP on stdio, recorded against not. */
export async function recordedMcp(): Promise<BenchRow> {
  const connect = async (...more: readonly string[]) => {
    const client = new Client({ name: "bench", version: "1.0.0" })
    const file = join(import.meta.dirname, "../mcp/serve-toolkeep.ts")
    const args = [file, "lines", ...more]
    await client.connect(new StdioClientTransport({ command: process.execPath, args }))
    return client
  }
  const [recorded, unrecorded] = [await connect("recorded"), await connect()]
  await warmUp(recorded, unrecorded)
  const value = await measureTimeRatio(
    () => callEcho(recorded),
    () => callEcho(unrecorded),
    { rounds: 81, roundMs: 60 },
  )
  await Promise.all([recorded.close(), unrecorded.close()])
  const what = "time of a trivial tools/call over stdio, recorded against not recorded"
  return { id: "session-recorded-mcp", what, value, bar: 1.25, aim: 1.1, better }
}
