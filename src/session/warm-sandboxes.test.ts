import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { manualClock } from "../../test/support/manual-clock.ts"
import { processesWith } from "../../test/support/processes-with.ts"
import { type Host, memoryHost } from "../sandbox/index.ts"
import { openToolkeep, type Toolkeep, type ToolkeepOptions } from "./open-toolkeep.ts"
import type { Session } from "./session.ts"

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "toolkeep-warm-session-"))
  await chmod(home, 0o755)
})
afterEach(() => rm(home, { recursive: true, force: true }))

function sandboxes(): readonly string[] {
  try {
    const directory = join(home, "bubblewrap")
    const names = readdirSync(directory).filter((name) => /^(sandbox|kept)_/.test(name))
    // One that is being made has no place for its commands yet.
    return names.filter((name) => readdirSync(join(directory, name)).includes("exchange"))
  } catch {
    return []
  }
}

const showSandbox = { command: "grep -oE '(sandbox|kept)_[a-z0-9_]+' /proc/self/mountinfo" }

/** The session that is given the one that is being made ready: those that ask before that have others made. */
async function sessionWith(toolkeep: Toolkeep): Promise<Session> {
  await expect.poll(sandboxes, { timeout: 60_000 }).toHaveLength(1)
  const [ready] = sandboxes()
  for (let asked = 1; asked <= 30; asked += 1) {
    const session = toolkeep.session(`asks-${asked}`)
    const where = await session.call("shell.exec", showSandbox)
    if (JSON.stringify(where).includes(String(ready))) return session
  }
  throw new Error("Nobody was given the sandbox that was ready.")
}

it("C1: the first command of a session runs in a sandbox that was ready, and closing leaves none", async () => {
  const toolkeep = await openToolkeep({ host: "bubblewrap", home, warm: 1 })
  const session = await sessionWith(toolkeep)
  expect(session.sandboxes.list()).toMatchObject([{ name: "default", status: "running" }])
  await toolkeep.close()
  expect(sandboxes()).toEqual([])
})

it("C1: so does that of a durable session, which the next process finds with its files", async () => {
  const toolkeep = await openToolkeep({ host: "bubblewrap", home, warm: 1, durable: true })
  const { call, name } = await sessionWith(toolkeep)
  await call("file.write", { path: "notes.md", content: "hello" })
  await toolkeep.close()
  await using next = await openToolkeep({ host: "bubblewrap", home, durable: true })
  const found = await next.session(name).call("file.read", { path: "notes.md" })
  expect(JSON.stringify(found)).toContain("hello")
})

it("C1: makes none ready where nobody would be given one", async () => {
  const memory = memoryHost()
  const made = async (more: Partial<ToolkeepOptions>) => {
    const clock = manualClock()
    let created = 0
    const create: Host["create"] = (spec) => {
      created += 1
      return memory.create(spec)
    }
    const host = { ...memory, canPrepare: "temporary" as const, create }
    await using _toolkeep = await openToolkeep({ host, home, clock, warm: 1, ...more })
    clock.advance(60_000)
    return created
  }
  expect(await made({})).toBe(1)
  expect(await made({ warm: 0 })).toBe(0)
  expect(await made({ durable: true })).toBe(0)
  expect(await made({ network: { kind: "full" } })).toBe(0)
  expect(await made({ host: memory })).toBe(0)
})

it("refuses a number of ready sandboxes that is none", async () => {
  for (const warm of [-1, 1.5, 65, Number.NaN]) {
    await expect(openToolkeep({ host: "memory", home, warm })).rejects.toThrow(
      "`warm` has to be a whole number from 0 to 64.",
    )
  }
})

function childrenOf(pid: string): readonly string[] {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean)
}

function isShell(pid: string): boolean {
  return textOf(`/proc/${pid}/comm`) === "bash\n"
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

/** Another Toolkeep, which has nothing to do. */
const other = `
  const { openToolkeep } = await import(process.argv[1])
  await openToolkeep({ host: "bubblewrap", home: process.argv[2], warm: 2 })
  process.stdin.resume()
`

it("O29: kill -9 ends the sandboxes that were ready, and the next Toolkeep removes what is left of them", async () => {
  const entry = new URL("./index.ts", import.meta.url).href
  const args = ["--input-type=module", "-e", other, entry, home]
  const child = spawn(process.execPath, args, { stdio: ["pipe", "inherit", "inherit"] })
  await expect.poll(sandboxes, { timeout: 60_000 }).toHaveLength(2)
  const left = sandboxes()
  const running = () =>
    left.flatMap((name) => processesWith(join(home, "bubblewrap", name, "home")))
  // From then on they end with the process that started them; what is killed before that, the next Toolkeep ends.
  const agents = () => running().flatMap((pid) => childrenOf(pid).filter(isShell))
  await expect.poll(() => agents().length, { timeout: 60_000 }).toBe(2)
  child.kill("SIGKILL")
  await once(child, "exit")
  await expect.poll(running, { timeout: 60_000 }).toEqual([])

  await using toolkeep = await openToolkeep({ host: "bubblewrap", home })
  await toolkeep.session("next").call("shell.exec", { command: "true" })
  const names = readdirSync(join(home, "bubblewrap"))
  expect(names.filter((name) => left.includes(name))).toEqual([])
})
