import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { expect, it, onTestFinished } from "vitest"
import { watchProcesses } from "./list-processes.ts"

function start(command: string, ...args: string[]): ChildProcess {
  const child = spawn(command, args, { stdio: "ignore" })
  onTestFinished(() => void child.kill("SIGKILL"))
  return child
}

/** Watches processes of this machine as if they were those of a sandbox. */
function watch(below: readonly ChildProcess[]) {
  const pids = () => below.flatMap(({ pid, exitCode }) => (exitCode === null && pid ? [pid] : []))
  return watchProcesses({
    ...{ first: process.pid, processesBelow: pids, isThere: async () => true, tasks: null },
  })
}

it("O24: a process that had no turn on a processor to end is not told as left behind", async () => {
  const below: ChildProcess[] = []
  const leftRunning = watch(below).begin()
  const busy = Array.from({ length: availableParallelism() * 2 }, () =>
    start("sh", "-c", "while :; do :; done"),
  )
  // It runs when nobody else wants to.
  const last = start("chrt", "-i", "0", "true")
  await once(last, "spawn")
  below.push(last)
  setTimeout(() => {
    for (const one of busy) one.kill("SIGKILL")
  }, 300)
  expect(await leftRunning()).toEqual({ count: 0, first: [] })
})

it("O24: one that goes on, asleep or at work, is told with its command", async () => {
  const below: ChildProcess[] = []
  const leftRunning = watch(below).begin()
  below.push(start("sleep", "1000"), start("sh", "-c", "while :; do :; done"))
  await Promise.all(below.map((one) => once(one, "spawn")))
  expect(await leftRunning()).toMatchObject({
    count: 2,
    first: [{ command: "sleep 1000" }, { command: "sh -c while :; do :; done" }],
  })
})
