import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { createId, quoteArguments } from "../../kit/index.ts"
import { isDead, ownerOf } from "../../node/index.ts"
import {
  type Controllers,
  createControlGroup,
  findControllers,
  type ResourceLimits,
  removeControlGroup,
} from "./control-groups.ts"

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
