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

  it("Y16: a process of another container is left alone", () => {
    const [boot, namespace, , started, machine] = ownerOf(process.pid).split(":")
    const unlikely = 2 ** 30
    expect(isDead([boot, namespace, unlikely, started, machine].join(":"))).toBe(true)
    expect(isDead([boot, Number(namespace) + 1, unlikely, started, machine].join(":"))).toBe(false)
  })

  it("Y16: a process of before this machine's start is dead, one of another machine may live", () => {
    const here = { machine: "a".repeat(32), boot: "second-start", namespace: "1" }
    const onMachine = (machine: string | null, boot: string) =>
      ownerOf(process.pid, { machine, boot, namespace: "1" })
    expect(isDead(onMachine(here.machine, "first-start"), here)).toBe(true)
    expect(isDead(onMachine("b".repeat(32), "first-start"), here)).toBe(false)
    // Neither side of a machine without an id of its own can be told from others.
    expect(isDead(onMachine(null, "first-start"), here)).toBe(false)
    expect(isDead(onMachine(null, "first-start"), { ...here, machine: null })).toBe(false)
    expect(isDead("first-start:1:1:1", here)).toBe(false)
    expect(isDead(onMachine(here.machine, here.boot), here)).toBe(false)
  })
})

it("F18: an owner whose text a full disk has cut off owns nothing", () => {
  const owner = ownerOf(process.pid)
  expect(isDead(owner)).toBe(false)
  for (const cut of ["", owner.slice(0, 10), owner.split(":").slice(0, 3).join(":")]) {
    expect(isDead(cut), cut).toBe(true)
  }
})
