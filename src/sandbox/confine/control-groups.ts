import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs"
import { basename, join } from "node:path"
import { createId, errorCode, quoteArguments, sleep } from "../../kit/index.ts"
import { isDead, ownerOf } from "../../node/index.ts"

/** How much of this machine one sandbox may use. */
export interface ResourceLimits {
  readonly memoryBytes: number
  readonly processes: number
  /** Whole and parts of processors. */
  readonly processors: number
}

export type ControlGroup = ReturnType<typeof createControlGroup>

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

/** A group of processes that the kernel holds to limits. */
export function createControlGroup(controllers: Controllers, name: string, limits: ResourceLimits) {
  const directories = controllers.map(({ directory, settings }) => {
    const path = join(directory, name)
    mkdirSync(path, { recursive: true })
    for (const [file, value] of settings(limits)) set(join(path, file), value, optional.has(file))
    return path
  })
  return {
    directories,
    /** Into each of these a process of the user's writes 0 to join, with all that it starts. */
    open(user: number | null): readonly string[] {
      const files = controllers.map(({ directory, members }) => join(directory, name, members))
      for (const file of files) if (user !== null) chownSync(file, user, user)
      return files
    },
    /** Once its last process is gone, which the kernel may take a moment for. */
    async remove(): Promise<void> {
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
      if (errorCode(error) !== "EBUSY" || tries >= mostPauses) throw error
      await sleep(pauseMs)
    }
  }
}

/** Processes outside every sandbox that the kernel holds to limits. */
export interface LimitedGroup {
  /** A shell script that becomes the program once the limits hold. */
  script(program: string): string
  /** How many of its processes were ended because the group had no memory left. */
  memoryKills(): number
  /** Once its last process is gone. */
  remove(): Promise<void>
}

const parent = "toolkeep"

/** Null where this user may not make control groups: then nothing but the machine limits it. */
export function createLimitedGroup(kind: string, limits: ResourceLimits): LimitedGroup | null {
  const controllers = process.platform === "linux" ? findControllers() : null
  if (!controllers) return null
  removeStale(controllers, kind)
  const name = `${parent}/${kind}-${ownerOf(process.pid)}-${createId("group")}`
  const group = createControlGroup(controllers, name, limits)
  const joining = group.open(null).map((file) => `echo 0 >${quoteArguments([file])} || exit 1\n`)
  return {
    script: (program) => `#!/bin/sh\n${joining.join("")}exec ${quoteArguments([program])} "$@"\n`,
    memoryKills: () => Math.max(0, ...group.directories.map(memoryKillsIn)),
    remove: () => group.remove(),
  }
}

/** Of both makes of control groups, which say it in files of other names. */
function memoryKillsIn(directory: string): number {
  for (const name of ["memory.events", "memory.oom_control"]) {
    const path = join(directory, name)
    if (!existsSync(path)) continue
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(path, "utf8"))?.[1] ?? 0)
  }
  return 0
}

/** Groups of a Toolkeep that died without removing them; its processes have ended with it. */
function removeStale(controllers: Controllers, kind: string): void {
  const names = controllers.flatMap(({ directory }) => {
    const path = join(directory, parent)
    return existsSync(path) ? readdirSync(path).filter((name) => name.startsWith(`${kind}-`)) : []
  })
  for (const name of new Set(names)) {
    const owner = name.slice(kind.length + 1, name.lastIndexOf("-"))
    if (isDead(owner)) removeControlGroup(controllers, join(parent, basename(name))).catch(() => {})
  }
}
