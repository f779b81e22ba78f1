import { chownSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sleep } from "../../kit/index.ts"

/** How much of this machine one sandbox may use. */
export interface ResourceLimits {
  readonly memoryBytes: number
  readonly processes: number
  /** Whole and parts of processors. */
  readonly processors: number
}

/** A group of processes that the kernel holds to limits. */
export interface ControlGroup {
  readonly directories: readonly string[]
  /** Into each of these a process of the user's writes 0 to join, with all that it starts. */
  open(user: number | null): readonly string[]
  /** Once its last process is gone, which the kernel may take a moment for. */
  remove(): Promise<void>
}

interface Controller {
  readonly directory: string
  /**
   * Where a process joins. For a thread that moves itself the kernel need not wait until all processors
   * have taken note, which takes as long as a third of a sandbox's start; for a process it does.
   */
  readonly members: "tasks" | "cgroup.procs"
  readonly settings: (limits: ResourceLimits) => readonly (readonly [string, string])[]
}

const periodMicroseconds = 100_000
const root = "/sys/fs/cgroup"

const quota = ({ processors }: ResourceLimits) =>
  String(Math.round(processors * periodMicroseconds))

export type Controllers = readonly Controller[]

/** One hierarchy for each controller, or one for all of them: both are in use. */
const legacy: readonly Controller[] = [
  {
    directory: `${root}/memory`,
    members: "tasks",
    settings: ({ memoryBytes }) => [
      ["memory.limit_in_bytes", String(memoryBytes)],
      ["memory.memsw.limit_in_bytes", String(memoryBytes)],
    ],
  },
  {
    directory: `${root}/pids`,
    members: "tasks",
    settings: ({ processes }) => [["pids.max", String(processes)]],
  },
  {
    directory: `${root}/cpu`,
    members: "tasks",
    settings: (limits) => [
      ["cpu.cfs_period_us", String(periodMicroseconds)],
      ["cpu.cfs_quota_us", quota(limits)],
    ],
  },
]
const unified: Controller = {
  directory: root,
  members: "cgroup.procs",
  settings: (limits) => [
    ["memory.max", String(limits.memoryBytes)],
    ["memory.swap.max", "0"],
    ["pids.max", String(limits.processes)],
    ["cpu.max", `${quota(limits)} ${periodMicroseconds}`],
  ],
}

/** Settings that a kernel may lack without the limit being void. */
const optional = new Set(["memory.memsw.limit_in_bytes", "memory.swap.max"])

/** Null where this user may not make control groups: then no such limit is promised. */
export function findControllers(): Controllers | null {
  const controllers = existsSync(`${root}/cgroup.controllers`) ? [ownUnified()] : legacy
  const probe = `toolkeep-probe-${process.pid}`
  try {
    const limits = { memoryBytes: 2 ** 30, processes: 64, processors: 1 }
    for (const path of createControlGroup(controllers, probe, limits).directories) rmdirSync(path)
    return controllers
  } catch {
    return null
  }
}

/** The part of the tree that this process is in, which may have been handed over to its user. */
function ownUnified(): Controller {
  const own = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1] ?? "/"
  return { ...unified, directory: join(root, own === "/" ? "" : join(own, "..")) }
}

export function createControlGroup(
  controllers: readonly Controller[],
  name: string,
  limits: ResourceLimits,
): ControlGroup {
  const directories = controllers.map(({ directory, settings }) => {
    const path = join(directory, name)
    mkdirSync(path, { recursive: true })
    for (const [file, value] of settings(limits)) set(join(path, file), value, optional.has(file))
    return path
  })
  return {
    directories,
    open(user) {
      const files = controllers.map(({ directory, members }) => join(directory, name, members))
      for (const file of files) if (user !== null) chownSync(file, user, user)
      return files
    },
    async remove() {
      for (const path of directories) await removeDirectory(path)
    },
  }
}

/** One that is not there counts as removed. */
export async function removeControlGroup(controllers: Controllers, name: string): Promise<void> {
  for (const { directory } of controllers) {
    const path = join(directory, name)
    if (existsSync(path)) await removeDirectory(path)
  }
}

function set(file: string, value: string, isOptional: boolean): void {
  try {
    writeFileSync(file, value)
  } catch (error) {
    if (!isOptional) throw error
  }
}

const pauseMs = 10
const mostPauses = 500

async function removeDirectory(path: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return rmdirSync(path)
    } catch (error) {
      const isBusy = error instanceof Error && "code" in error && error.code === "EBUSY"
      if (!isBusy || tries >= mostPauses) throw error
      await sleep(pauseMs)
    }
  }
}
