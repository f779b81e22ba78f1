import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  bubblewrapHost,
  createWorkspace,
  type Host,
  type Sandbox,
} from "../../src/sandbox/index.ts"
import { availableMemory } from "../harness/available-memory.ts"
import { measureTime, median } from "../harness/measure.ts"

/** What sandboxes take, and how long work takes beside them. */
export interface CurvePoint {
  readonly sandboxes: number
  readonly awake: number
  /** All of them together. */
  readonly bytes: number
  readonly createMs: number
  readonly execMs: number
}

const counts = [1, 100, 1_000, 5_000]
const mostAwake = 100
const atOnce = 20
const rounds = 21

/** Sandboxes of one host, of which a hundred at most are awake. */
export async function measureCurve(host: Host): Promise<readonly CurvePoint[]> {
  // What the first one of a host prepares is not a sandbox's.
  await timeOfCreate(host)
  const free = availableMemory()
  const sandboxes: Sandbox[] = []
  const points: CurvePoint[] = []
  try {
    for (const count of counts) {
      while (sandboxes.length < count)
        sandboxes.push(...(await createBatch(host, sandboxes, count)))
      const bytes = free - availableMemory()
      const creates: number[] = []
      while (creates.length < rounds) creates.push(await timeOfCreate(host))
      const execMs = await measureTime(() => run(sandboxes[0]))
      const awake = Math.min(count, mostAwake)
      points.push({ sandboxes: count, awake, bytes, createMs: median(creates), execMs })
    }
    return points
  } finally {
    while (sandboxes.length > 0) {
      await Promise.all(sandboxes.splice(-atOnce).map((sandbox) => sandbox.destroy()))
    }
  }
}

/** The same on a host of its own. */
export async function curveOnNewHost(): Promise<readonly CurvePoint[]> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-bench-"))
  await chmod(directory, 0o755)
  try {
    return await measureCurve(bubblewrapHost({ directory }))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** The next ones, up to a count; beyond those that stay awake, they sleep at once. */
async function createBatch(
  host: Host,
  { length }: readonly Sandbox[],
  count: number,
): Promise<readonly Sandbox[]> {
  const isAwake = length < mostAwake
  const size = Math.min(atOnce, count - length)
  const create = async () => {
    const sandbox = await host.create({ name: "one-of-many" })
    if (!isAwake) await sandbox.sleep()
    return sandbox
  }
  return Promise.all(Array.from({ length: size }, create))
}

/** Destroying it is not part of the figure. */
async function timeOfCreate(host: Host): Promise<number> {
  const started = performance.now()
  const sandbox = await host.create({ name: "fresh" })
  await run(sandbox)
  const milliseconds = performance.now() - started
  await sandbox.destroy()
  return milliseconds
}

async function run(sandbox: Sandbox | undefined): Promise<void> {
  if (sandbox) await createWorkspace(sandbox).exec("true")
}
