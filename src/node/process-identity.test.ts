import { spawn } from "node:child_process"
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { isDead, ownerOf } from "./process-identity.ts"

describe("who owns a sandbox", () => {
  it("Y16: a process is dead once it ended, also when another has its number", async () => {
    const child = spawn("sleep", ["100"])
    const owner = ownerOf(child.pid ?? 0)
    expect(isDead(owner)).toBe(false)
    const [machine, namespace, pid, started] = owner.split(":")
    expect(isDead([machine, namespace, pid, Number(started) - 1].join(":"))).toBe(true)
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
    expect(isDead(owner)).toBe(true)
  })

  it("Y16: a process of another container is left alone, one of before the machine's start is not", () => {
    const [machine, namespace, , started] = ownerOf(process.pid).split(":")
    const unlikely = 2 ** 30
    expect(isDead([machine, namespace, unlikely, started].join(":"))).toBe(true)
    expect(isDead([machine, Number(namespace) + 1, unlikely, started].join(":"))).toBe(false)
    expect(isDead(["another-start", namespace, process.pid, started].join(":"))).toBe(true)
  })
})
