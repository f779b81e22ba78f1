import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { eventually, run } from "./parts.ts"

/** Its parts write into directories that are the machine's: what they write goes with the namespace. */
export function coverDirectories(stored: string): string {
  const [upper, work] = ["var", "work"].map((name) => join(stored, name))
  run("mkdir", upper ?? "", work ?? "")
  const options = `lowerdir=/var,upperdir=${upper},workdir=${work}`
  run("mount", "-t", "overlay", "overlay", "-o", options, "/var")
  run("mount", "-t", "tmpfs", "none", "/run")
  // A short name: addresses of sockets may have 107 bytes.
  const directory = "/run/cluster"
  run("mkdir", directory, "/run/netns")
  run("mount", "--bind", stored, directory)
  return directory
}

/** The names of all containers of a node. */
export function containersOf(socket: string): string[] {
  const { stdout } = spawnSync("ctr", ["-a", socket, "-n", "k8s.io", "containers", "ls", "-q"])
  return stdout.toString().split("\n").filter(Boolean)
}

/** The control groups of pods that were left: groups are of no namespace. */
export async function removeGroups(containers: readonly string[]): Promise<void> {
  const parents = readdirSync("/sys/fs/cgroup").map((name) =>
    join("/sys/fs/cgroup", name, "k8s.io"),
  )
  const groups = parents.flatMap((parent) => containers.map((id) => join(parent, id)))
  await eventually("the end of all containers", async () => {
    const left = groups.filter((group) => existsSync(group))
    for (const group of left) {
      for (const pid of processesIn(group)) spawnSync("kill", ["-9", pid])
      spawnSync("rmdir", [group])
    }
    return left.length === 0
  })
  // Where another cluster has groups of its own, it stays.
  for (const parent of parents) spawnSync("rmdir", [parent])
}

function processesIn(group: string): string[] {
  try {
    return readFileSync(join(group, "cgroup.procs"), "utf8").split("\n").filter(Boolean)
  } catch {
    return []
  }
}
