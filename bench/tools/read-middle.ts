import { policyOfProfile } from "../../src/policy/index.ts"
import type { Host } from "../../src/sandbox/index.ts"
import { createSession } from "../../src/session/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

const lines = 2_000
/** So short that all of the lines fit into one answer. */
const lineBytes = 20
const fileBytes = 1_000_000_000
const middle = fileBytes / lineBytes / 2
const makeFile = `yes ${"x".repeat(lineBytes - 1)} | head -c ${fileBytes} > huge`

export async function readMiddle(host: Host): Promise<readonly BenchRow[]> {
  await using session = createSession({ name: "read", host, policy: policyOfProfile("full") })
  const workspace = await session.workspace()
  await workspace.exec(makeFile)
  const input = { path: "huge", start_line: middle, line_count: lines }
  const read = async () => {
    const envelope = await session.call("file.read", input)
    if (!envelope.ok) throw new Error(envelope.message)
    requireAll(envelope.result.kind === "file" ? (envelope.result.text ?? "") : "")
  }
  const sed = async () => {
    const last = middle + lines - 1
    const { stdout } = await workspace.exec(`sed -n '${middle},${last}p;${last}q' huge`)
    requireAll(stdout)
  }
  return [
    {
      id: "read-middle",
      what: "file.read of 2,000 lines in the middle of 1 GB, against `sed -n` inside (ratio)",
      value: await measureTimeRatio(read, sed, { rounds: 7 }),
      bar: 3,
      aim: 1.5,
      better: "lower",
    },
    {
      id: "read-middle-memory",
      what: "extra memory of that file.read, at its peak (MiB)",
      value: await extraMemory(read),
      bar: 30,
      aim: 10,
      better: "lower",
    },
  ]
}

function requireAll(text: string): void {
  if (text.length === lines * lineBytes) return
  throw new Error(`${text.length} characters instead of ${lines * lineBytes}.`)
}

/** What this process holds more at most, looked at while the work goes on. */
async function extraMemory(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss()
  let peak = before
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const timer = setInterval(look, 1)
  try {
    await work()
    look()
  } finally {
    clearInterval(timer)
  }
  return (peak - before) / 2 ** 20
}
