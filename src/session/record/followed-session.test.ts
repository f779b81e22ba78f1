import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { expect, it, onTestFinished } from "vitest"
import { openToolkeep } from "../open-toolkeep.ts"

const sessionUrl = new URL("../index.ts", import.meta.url).href

/** Calls until it is killed, and says how often it has. */
const program = `
  const [url, home] = process.argv.slice(1)
  const { openToolkeep } = await import(url)
  const toolkeep = await openToolkeep({ host: "memory", home, record: true })
  const session = toolkeep.session("work")
  for (let number = 0; ; number += 1) {
    await session.call("shell.exec", { command: "echo " + number })
    console.log(number)
  }
`

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-follow-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

function startCalling(home: string) {
  const args = ["--input-type=module", "-e", program, sessionUrl, home]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  return { child, lines: createInterface({ input: child.stdout }) }
}

it("F20, Y16: what another process records is followed as it comes, from any number, without gaps and doubles", async () => {
  const home = makeHome()
  const { child, lines } = startCalling(home)
  await once(lines, "line")
  await using toolkeep = await openToolkeep({ host: "memory", home })
  const reader = await toolkeep.recorded("work")
  const heard: number[] = []
  // Left and taken up again in the middle of what the other process does.
  while (heard.length < 60) {
    const stop = new AbortController()
    const before = heard.length
    for await (const { sequence } of reader?.follow({ after: before, signal: stop.signal }) ?? []) {
      heard.push(sequence)
      if (heard.length === before + 7) stop.abort()
    }
  }
  child.kill("SIGKILL")
  await once(child, "exit")
  expect(heard).toEqual(heard.map((_, index) => index + 1))
  expect(await toolkeep.recorded("nothing")).toBeNull()
}, 120_000)

it("F20: the events of a session go on with what it records after its process was killed, and end with their signal", async () => {
  const home = makeHome()
  const { child, lines } = startCalling(home)
  await once(lines, "line")
  child.kill("SIGKILL")
  await once(child, "exit")
  await using toolkeep = await openToolkeep({ host: "memory", home, record: true })
  const session = toolkeep.session("work")
  const recorded = (await (await session.record?.())?.entries()) ?? []
  const last = recorded.at(-1)?.sequence ?? 0
  const stop = new AbortController()
  const heard: number[] = []
  const following = (async () => {
    for await (const { sequence } of session.events({ after: last - 1, signal: stop.signal })) {
      heard.push(sequence)
      if (heard.length === 1) void session.call("system.info")
      // It waits for the next one when it is ended.
      if (heard.length === 3) setImmediate(() => stop.abort())
    }
  })()
  await following
  expect(heard).toEqual([last, last + 1, last + 2])
}, 120_000)

/** Follows a whole record slowly, and says how many entries it has seen. */
const slowReader = `
  import { setTimeout } from "node:timers/promises"
  const [url, home, all] = process.argv.slice(1)
  const { openToolkeep } = await import(url)
  const toolkeep = await openToolkeep({ host: "memory", home })
  const stop = new AbortController()
  let count = 0
  for await (const _ of (await toolkeep.recorded("long")).follow({ after: 0, signal: stop.signal })) {
    count += 1
    if (count % 100 === 0) await setTimeout(1)
    if (count === Number(all)) stop.abort()
  }
  console.log(count)
  await toolkeep.close()
`

it("F20: a slow reader of a long record holds a part of it in memory, never all", async () => {
  const home = makeHome()
  await using toolkeep = await openToolkeep({ host: "memory", home, record: true })
  const record = await toolkeep.session("long").record?.()
  const text = "x".repeat(60_000)
  const rounds = Array.from({ length: 30 }, (_, round) => round)
  for (const round of rounds) {
    const bodies = Array.from({ length: 100 }, (_, number) => ({ text, round, number }))
    await record?.append(bodies.map((body) => ({ kind: "note", at: 0, body })))
  }
  // All of them are 180 MB.
  const args = ["--max-old-space-size=96", "--input-type=module", "-e", slowReader]
  const child = spawn(process.execPath, [...args, sessionUrl, home, "3000"])
  let said = ""
  child.stdout.on("data", (piece) => (said += piece))
  await once(child, "close")
  expect({ said, code: child.exitCode }).toEqual({ said: "3000\n", code: 0 })
}, 120_000)
