import { spawnSync } from "node:child_process"
import { writeSync } from "node:fs"
import { isatty } from "node:tty"
import { workerData } from "node:worker_threads"
import type { LoopWatchData } from "./loop-watch.ts"

/** A thread beside the pattern, which the pattern can't hold up. */
const { turns, standstillMs, lookMs, sentence }: LoopWatchData = workerData

let seen = -1
let usedMs = 0

setInterval(() => {
  const turn = Atomics.load(turns, 0)
  const { user, system } = process.cpuUsage()
  const nowMs = (user + system) / 1000
  if (turn !== seen) {
    seen = turn
    usedMs = nowMs
  } else if (nowMs - usedMs >= standstillMs) leave()
}, lookMs)

function leave(): void {
  // The keys of a terminal were the process's own; an exit would have given them back.
  if (isatty(0)) spawnSync("stty", ["sane"], { stdio: ["inherit", "ignore", "ignore"] })
  writeSync(2, `${sentence}\n`)
  // Sandboxes, browsers and work end with this process.
  process.kill(process.pid, "SIGKILL")
}
