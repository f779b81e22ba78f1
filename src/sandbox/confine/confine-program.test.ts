import { spawn } from "node:child_process"
import type { Writable } from "node:stream"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "vitest"
import { processesWith } from "../../../test/support/processes-with.ts"
import { confineProgram, filterDescriptor } from "./confine-program.ts"

it("C18: a program that is killed at any moment of its start leaves no process behind", async () => {
  const mark = `confined-by-${process.pid}`
  const script = ["/bin/bash", "-c", "sleep 600; :", mark]
  const confined = confineProgram(script, { readable: [], temporaryBytes: 1024 ** 2 })
  if (!confined) throw new Error("bubblewrap is not installed: apt-get install bubblewrap")
  const [program, ...args] = confined.command
  for (let round = 0; round < 150; round++) {
    const child = spawn(program, args, {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: {},
      detached: true,
    })
    const filter = child.stdio[filterDescriptor] as Writable
    filter.on("error", () => {}).end(confined.filter)
    const exit = new Promise((resolve) => child.once("exit", resolve))
    // From before its first process exists until the script runs.
    await sleep(round % 10)
    process.kill(-(child.pid ?? 0), "SIGKILL")
    await exit
  }
  await expect.poll(() => processesWith(mark)).toEqual([])
})
