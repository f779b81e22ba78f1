import { readdir, readFile } from "node:fs/promises"

/** The command lines of the processes of this machine, also of those inside sandboxes. */
export async function visibleProcesses(): Promise<readonly string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const lines = ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => ""))
  return (await Promise.all(lines)).map((line) => line.replaceAll("\0", " ").trim())
}
