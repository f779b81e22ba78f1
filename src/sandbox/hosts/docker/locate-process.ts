import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { LocatedProcess } from "../../effects/watch-agent-sandbox.ts"

/**
 * The first process of a container with its control groups. Null where the engine counts its processes elsewhere, as
 * in a virtual machine: the number would then be that of another process, which is not in a group of the container's name.
 */
export function locateProcess(pid: number | null, container: string): LocatedProcess | null {
  if (pid === null) return null
  // "0::/system.slice/docker-4f7c.scope" or "4:memory:/docker/4f7c"
  const own = groupLines(pid).filter(({ path }) => path.includes(container))
  if (own.length === 0) return null
  const directories = own.map(({ controllers, path }) =>
    join("/sys/fs/cgroup", controllers.replace(/^name=/, ""), path),
  )
  return { first: pid, groups: directories.filter((directory) => existsSync(directory)) }
}

function groupLines(pid: number) {
  const lines = textOf(`/proc/${pid}/cgroup`).split("\n")
  return lines.map((line) => {
    const [, controllers = "", ...path] = line.split(":")
    return { controllers, path: path.join(":") }
  })
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
