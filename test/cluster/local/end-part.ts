import { spawn } from "node:child_process"
import { openSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"

/** A part of the local cluster that was ended, as a crash ends it. */
export interface EndedPart {
  start(): void
}

/** Ends the program whose command line has all these words. Tests have the cluster's pid namespace, so it is no other one. */
export function endPart(...words: readonly string[]): EndedPart {
  const found = processes().find(({ line }) =>
    words.every((word) => line.some((part) => part.endsWith(word))),
  )
  if (!found) throw new Error(`No part of the cluster is ${words.join(" ")}.`)
  const { pid, line } = found
  const directory = readlinkSync(`/proc/${pid}/cwd`)
  // It stays while the program runs in the same network.
  const network = openSync(`/proc/${pid}/ns/net`, "r")
  process.kill(pid, "SIGKILL")
  return {
    start() {
      const output = openSync(join(directory, "started-again.log"), "a")
      const inside = [`--net=/proc/${process.pid}/fd/${network}`, ...line]
      spawn("nsenter", inside, { stdio: ["ignore", output, output], cwd: directory }).unref()
    },
  }
}

/** Whether a program runs, of the cluster or in one of its pods, that was started with this word. */
export function isRunning(word: string): boolean {
  return processes().some(({ line }) => line.includes(word))
}

function processes(): readonly { readonly pid: number; readonly line: readonly string[] }[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1)
      return [{ pid: Number(pid), line }]
    } catch {
      return []
    }
  })
}
