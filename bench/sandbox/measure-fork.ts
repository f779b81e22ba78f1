import { execFile } from "node:child_process"
import { mkdir, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { promisify } from "node:util"
import { createWorkspace, type Host, type Sandbox } from "../../src/sandbox/index.ts"
import { median } from "../harness/measure.ts"

const run = promisify(execFile)
const rounds = 3

/** 1 GB: 200 files of 4 MB, and 20,000 of 10 KB, in 200 directories. */
const fill = `head -c 4000000 /dev/urandom >block; head -c 10000 /dev/urandom >piece
for i in {1..200}; do
  mkdir d$i; cp block d$i/big
  for j in {1..100}; do cat piece >d$i/$j; done
done`

interface Fork {
  readonly sandbox: Sandbox
  readonly snapshot: string
}

/**
 * How long a snapshot of a sandbox that is awake and a sandbox made of it take, until that has done its
 * first command, against a copy of the same files right after it.
 */
export async function measureFork(host: Host, directory: string): Promise<number> {
  const source = await host.create({ name: "source" })
  const workspace = createWorkspace(source)
  const forks: Fork[] = []
  const ratios: number[] = []
  try {
    await workspace.exec(fill, { timeoutMs: 600_000 })
    for (let round = 0; round < rounds; round += 1) {
      // It is awake, and has something new to hold.
      await workspace.exec("date >now")
      const forking = await timeOf(async () => {
        forks.push(await fork(host, source))
      })
      ratios.push(forking / (await timeOfCopy(directory)))
    }
    return median(ratios)
  } finally {
    for (const { sandbox, snapshot } of forks) {
      await sandbox.destroy()
      await host.removeSnapshot(snapshot)
    }
    await source.destroy()
  }
}

async function fork(host: Host, source: Sandbox): Promise<Fork> {
  const snapshot = await source.snapshot()
  const sandbox = await host.create({ name: "fork", from: snapshot })
  await createWorkspace(sandbox).exec("true")
  return { sandbox, snapshot }
}

/** All layers together are the same files. */
async function timeOfCopy(directory: string): Promise<number> {
  const layers = join(directory, "layers")
  const sources = (await readdir(layers)).map((name) => join(layers, name))
  const copy = join(directory, "copy")
  await mkdir(copy)
  const milliseconds = await timeOf(() => run("cp", ["-a", "--", ...sources, copy]))
  await rm(copy, { recursive: true })
  return milliseconds
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
