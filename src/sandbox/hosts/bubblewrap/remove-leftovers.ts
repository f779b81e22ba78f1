import { readdirSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { removeAbandoned } from "../../agent/directory/remove-abandoned.ts"
import { type Controllers, removeControlGroup } from "../../confine/control-groups.ts"
import { abandonedIn } from "../../owners/abandoned.ts"

/** The control group of a sandbox's limits, by the name of its directory. */
export function groupName(directory: string): string {
  return `toolkeep/${basename(directory)}`
}

/** Ends and removes the processes, files and control groups of every Toolkeep that died without doing it. */
export async function removeLeftovers(
  directory: string,
  controllers: Controllers | null,
): Promise<void> {
  for (const { directory: path } of abandonedIn(directory)) endLeftBehind(path)
  for (const path of await removeAbandoned(directory)) {
    if (controllers) await removeControlGroup(controllers, groupName(path))
  }
}

/**
 * Ends what a dead Toolkeep has left running of a sandbox. Its processes end with it, but for two cases: bwrap
 * can be killed between starting the first process inside and letting it go on, which then waits for ever; and
 * what passes a transfer on waits for both sides to open their pipes.
 */
export function endLeftBehind(directory: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const [program = "", ...args] = commandOf(pid)
    const isKnown = program.endsWith("bwrap") || program === "/bin/sh"
    const isOurs = isKnown && args.some((arg) => arg.startsWith(`${directory}/`))
    if (isOurs) end(Number(pid))
  }
}

function commandOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
  } catch {
    // It has ended meanwhile.
    return []
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended meanwhile, or is another user's who has put our directory into his command line.
  }
}
