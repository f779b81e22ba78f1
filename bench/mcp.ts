import { execFile } from "node:child_process"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { promisify } from "node:util"
import type { BenchRow } from "./harness/bench-row.ts"
import { measureTimeRatio, median } from "./harness/measure.ts"
import { bridgedCall } from "./mcp/bridged-call.ts"
import { crowd } from "./mcp/crowd.ts"
import { startToList } from "./mcp/start-to-list.ts"
import { callEcho, connectLines, type Mode, startHttp, warmUp } from "./mcp/started-server.ts"

const run = promisify(execFile)

export async function suite(): Promise<readonly BenchRow[]> {
  return [
    await linesCall(),
    await httpCall("mcp-http-call", "the newer generation", { pin: "2026-07-28" }),
    await httpCall("mcp-http-call-older", "the older generation", "legacy"),
    await bridgedCall(),
    await startAndList(),
    ...(await hundredClients()),
  ]
}

const callGoals = { bar: 1.3, aim: 1.1, better: "lower" } as const

async function linesCall(): Promise<BenchRow> {
  const subject = await connectLines("toolkeep")
  const reference = await connectLines("bare")
  await warmUp(subject, reference)
  const value = await measureTimeRatio(
    () => callEcho(subject),
    () => callEcho(reference),
    { rounds: 81, roundMs: 60 },
  )
  await Promise.all([subject.close(), reference.close()])
  const what =
    "time of a trivial tools/call over stdio, against the same tool on the SDK's own server"
  return { id: "mcp-stdio-call", what, value, ...callGoals }
}

async function httpCall(id: string, generation: string, mode: Mode): Promise<BenchRow> {
  using toolkeep = await startHttp("toolkeep")
  using bare = await startHttp("bare")
  const subject = await toolkeep.connect(mode)
  const reference = await bare.connect(mode)
  await warmUp(subject, reference)
  const value = await measureTimeRatio(
    () => callEcho(subject),
    () => callEcho(reference),
    { rounds: 81, roundMs: 60 },
  )
  await Promise.all([subject.close(), reference.close()])
  const what = `the same over HTTP, for a client of ${generation}`
  return { id, what, value, ...callGoals }
}

async function startAndList(): Promise<BenchRow> {
  const root = join(import.meta.dirname, "..")
  await run("npm", ["run", "-s", "build"], { cwd: root })
  const subject = () => startToList([join(root, "dist/cli/main.js"), "mcp"], root)
  const count = String(await subject())
  const reference = () =>
    startToList([join(import.meta.dirname, "mcp/serve-many.mjs"), count], root)
  return {
    id: "mcp-start",
    what: `time from the start of \`toolkeep mcp\` to its ${count} tools, against the SDK's own server`,
    value: await measureTimeRatio(subject, reference),
    bar: 1.2,
    aim: 1.1,
    better: "lower",
  }
}

async function hundredClients(): Promise<BenchRow[]> {
  using server = await startHttp("toolkeep")
  await crowd(server, { clients: 100, forMs: 10_000 })
  await wait(2_000)
  const before = await server.memory()
  const { errors, times } = await crowd(server, { clients: 100, forMs: 30_000 })
  await wait(2_000)
  const late = times[Math.floor(times.length * 0.99)] ?? Number.NaN
  const who = `100 clients at once for 30 s, ${times.length.toLocaleString("en")} calls`
  return [
    {
      id: "mcp-crowd-errors",
      what: `${who}: errors`,
      value: errors,
      bar: 0,
      aim: 0,
      better: "lower",
    },
    {
      id: "mcp-crowd-late",
      what: "the same: the 99th percentile of the calls' times, against their median",
      value: late / median(times),
      bar: 10,
      aim: 5,
      better: "lower",
    },
    {
      id: "mcp-crowd-memory",
      what: "the same: the server's memory afterwards, against after a first crowd",
      value: (await server.memory()) / before,
      bar: 1.25,
      aim: 1.1,
      better: "lower",
    },
  ]
}
