import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bubblewrapHost, createWorkspace, type Sandbox } from "../src/sandbox/index.ts"
import { availableMemory } from "./harness/available-memory.ts"
import type { BenchRow, BenchSuite } from "./harness/bench-row.ts"
import { measureTime, measureTimeRatio } from "./harness/measure.ts"
import { plainSpawn } from "./harness/plain-spawn.ts"
import { againstRuntime } from "./sandbox/against-runtime.ts"
import { dockerExec } from "./sandbox/docker-exec.ts"
import { dockerFrames } from "./sandbox/docker-frames.ts"
import { manySandboxes } from "./sandbox/many-sandboxes.ts"
import { measureBranch } from "./sandbox/measure-branch.ts"
import { measureFork } from "./sandbox/measure-fork.ts"
import { measureWarm } from "./sandbox/measure-warm.ts"
import { searchFiles } from "./sandbox/search-files.ts"
import { transferTree } from "./sandbox/transfer-tree.ts"

const together = 64

/** The figures of the hosts with real processes; each ratio is measured in one run against its reference. */
export const suite: BenchSuite = async () => {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-bench-"))
  // Sandboxes run as users of their own, and walk through it.
  await chmod(directory, 0o755)
  const host = bubblewrapHost({ directory })
  const sandbox = await host.create({ name: "bench" })
  try {
    const workspace = createWorkspace(sandbox)
    const exec = () => workspace.exec("true")
    const row = (id: string, what: string, figure: Omit<BenchRow, "id" | "what" | "better">) =>
      ({ id, what, better: "lower", ...figure }) as const
    return [
      row(
        "exec",
        "bubblewrap exec of `true`, warm, against a plain spawn of `bash -c true` (ratio)",
        {
          value: await measureTimeRatio(exec, plainSpawn, { rounds: 41 }),
          bar: 0.45,
          aim: 0.38,
        },
      ),
      row(
        "exec-later",
        `the same after ${earlier} commands in its sandbox, against at first (ratio)`,
        {
          value: await measureLater(host.create),
          bar: 1.3,
          aim: 1.1,
        },
      ),
      row("create", "bubblewrap create to first command done, against the same spawn (ratio)", {
        value: await measureTimeRatio(() => createAndRun(host.create), plainSpawn, { rounds: 41 }),
        bar: 3,
        aim: 2.5,
      }),
      row("create-warm", "the same with a sandbox that was ready, against the same spawn (ratio)", {
        value: await measureWarm(host, plainSpawn),
        bar: 0.8,
        aim: 0.5,
      }),
      row(
        "together",
        `${together} commands at once in one sandbox, against ${together} such spawns (ratio)`,
        {
          value: await measureTimeRatio(
            () => atOnce(exec),
            () => atOnce(plainSpawn),
            { rounds: 11 },
          ),
          bar: 0.42,
          aim: 0.35,
        },
      ),
      row("fork", "snapshot + fork of a home of 1 GB, against `cp -a` of it (ratio)", {
        value: await measureFork(host, directory),
        bar: 0.05,
        aim: 0.01,
      }),
      row("branch", "restoring a session with 100 MB of files, against 1 MB (ratio)", {
        value: await measureBranch(host),
        bar: 1.5,
        aim: 1.1,
      }),
      ...(await againstRuntime(workspace)),
      ...(await transferTree(host, directory)),
      ...(await searchFiles(host)),
      ...(await dockerExec(directory)),
      ...(await dockerFrames(directory)),
      ...(await measureMany(host.create)),
      ...(await manySandboxes(host)),
    ]
  } finally {
    await sandbox.destroy()
    await rm(directory, { recursive: true, force: true })
  }
}

type Create = (spec: { readonly name: string }) => Promise<Sandbox>

/** Destroying is not part of the figure, and goes on meanwhile. */
const leaving = new Set<Promise<void>>()

async function createAndRun(create: Create): Promise<void> {
  const sandbox = await create({ name: "fresh" })
  await createWorkspace(sandbox).exec("true")
  const gone = sandbox.destroy()
  leaving.add(gone)
  gone.then(() => leaving.delete(gone))
}

async function atOnce(work: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: together }, work))
}

const earlier = 3_000

/** A sandbox that is used for days must not get slower. */
async function measureLater(create: Create): Promise<number> {
  const sandbox = await create({ name: "long-used" })
  const exec = () => createWorkspace(sandbox).exec("true")
  try {
    const first = await measureTime(exec)
    for (let count = 0; count < earlier; count += together) await atOnce(exec)
    return (await measureTime(exec)) / first
  } finally {
    await sandbox.destroy()
  }
}

const many = 1_000

async function measureMany(create: Create): Promise<readonly BenchRow[]> {
  await Promise.all(leaving)
  const free = availableMemory()
  const first = await create({ name: "first" })
  const alone = await measureTime(() => createWorkspace(first).exec("true"))
  const sandboxes = [first]
  try {
    while (sandboxes.length < many) {
      const batch = Array.from({ length: 20 }, () => create({ name: "one-of-many" }))
      sandboxes.push(...(await Promise.all(batch)))
    }
    const used = (free - availableMemory()) / 2 ** 30
    const crowded = await measureTime(() => createWorkspace(first).exec("true"))
    const better = "lower"
    return [
      {
        id: "many-memory",
        what: `extra memory of ${many} live sandboxes (GiB)`,
        value: used,
        bar: 1.2,
        aim: 0.9,
        better,
      },
      {
        id: "many-exec",
        what: `exec among ${many} against alone (ratio)`,
        value: crowded / alone,
        bar: 2,
        aim: 1.2,
        better,
      },
    ]
  } finally {
    await Promise.all(sandboxes.map((sandbox) => sandbox.destroy()))
  }
}
