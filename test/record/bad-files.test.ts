import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { defineTool, type Envelope } from "../../src/contract/index.ts"
import { openToolkeep, type Session } from "../../src/session/index.ts"
import { loadSqlite } from "../../src/store/sqlite/sqlite.ts"
import { makeDirectory } from "./record-fixture.ts"

/** A disk of its own for the test, which only root can make. */
function openDisk(megabytes: number): string {
  const directory = join(makeDirectory(), "disk")
  mkdirSync(directory)
  const size = `size=${megabytes}m,mode=755`
  execFileSync("mount", ["-t", "tmpfs", "-o", size, "tmpfs", directory])
  onTestFinished(() => {
    execFileSync("umount", ["-l", directory])
  })
  return directory
}

const object = { type: "object", properties: {}, additionalProperties: false } as const

/** A Toolkeep with a tool that counts how often it has run. */
async function openCounting(home: string, during: () => void = () => {}) {
  let runs = 0
  const count = defineTool({
    name: "test.count",
    description: "Counts.",
    input: object,
    effects: ["write"],
    run() {
      runs += 1
      during()
      return { runs }
    },
  })
  const look = defineTool({
    name: "test.look",
    description: "Looks.",
    input: object,
    effects: ["read"],
    run: () => ({ runs }),
  })
  const toolkeep = await openToolkeep({
    ...{ host: "memory", home, record: true },
    tools: [count, look],
  })
  onTestFinished(() => toolkeep.close())
  const session = toolkeep.session("demo")
  const call = (tool: string): Promise<Envelope> => session.start(tool, {}).envelope
  return { toolkeep, session, call, runs: () => runs }
}

/** The kinds of each call's entries, in the order of the calls. */
async function recorded(session: Pick<Session, "record">): Promise<readonly string[]> {
  const record = await session.record?.()
  const entries = (await record?.entries()) ?? []
  const calls = new Map<string, string[]>()
  for (const { kind, body } of entries) {
    const { call, envelope } = body as { call: string; envelope?: Envelope }
    const answer = envelope && (envelope.ok ? "ok" : envelope.kind)
    calls.set(call, [...(calls.get(call) ?? []), answer ?? kind])
  }
  return [...calls.values()].map((kinds) => kinds.join(" "))
}

describe("a full disk", () => {
  it("F18, F20: refuses calls with effects before they start, and room lets the session go on", async () => {
    const disk = openDisk(2)
    const { session, call, runs } = await openCounting(disk)
    expect(await call("test.count")).toMatchObject({ ok: true, result: { runs: 1 } })
    spawnSync("sh", ["-c", `cat /dev/zero >${disk}/filling`])
    for (const tool of ["test.count", "test.look"]) {
      expect(await call(tool)).toMatchObject({
        ok: false,
        kind: "unavailable",
        retryable: true,
        message: expect.stringMatching(
          /^Nothing was done, because the call could not be recorded: .*disk.*\.$/,
        ),
      })
    }
    expect(runs()).toBe(1)
    rmSync(join(disk, "filling"))
    expect(await call("test.count")).toMatchObject({ ok: true, result: { runs: 2 } })
    expect(await recorded(session)).toEqual(["call ok", "call ok"])
  })

  it("F18, F20: a call that fills it is not repeated, and the record says that its answer is lost", async () => {
    const disk = openDisk(2)
    const fill = () => {
      if (runs() === 2) spawnSync("sh", ["-c", `cat /dev/zero >${disk}/filling`])
    }
    const { session, call, runs } = await openCounting(disk, fill)
    await call("test.count")
    expect(await call("test.count")).toMatchObject({
      ok: false,
      kind: "execution_error",
      retryable: false,
      message: expect.stringContaining("could not be recorded and is lost"),
    })
    rmSync(join(disk, "filling"))
    expect(await call("test.count")).toMatchObject({ ok: true, result: { runs: 3 } })
    expect(await recorded(session)).toEqual(["call ok", "call execution_error", "call ok"])
    expect(await (await session.record?.())?.unclosed()).toEqual([])
  })
})

/** Holds the file for itself until it is killed. */
const holding = `
  const { DatabaseSync } = await import("node:sqlite")
  const database = new DatabaseSync(process.argv[1])
  database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
  console.log("held")
  setInterval(() => {}, 100000)
`

describe("a record that can't be used", () => {
  /** A record with one call, whose process has closed it. */
  async function makeRecord(home: string): Promise<string> {
    const { toolkeep, call } = await openCounting(home)
    await call("test.count")
    await toolkeep.close()
    expect(readdirSync(home)).not.toContain("record.sqlite-wal")
    return join(home, "record.sqlite")
  }
  /** What the call is told; nothing runs, and the file stays as it is. */
  async function refusal(home: string): Promise<string> {
    const file = join(home, "record.sqlite")
    const before = readFileSync(file)
    const { toolkeep, call, runs } = await openCounting(home)
    const envelope = await call("test.count")
    await toolkeep.close()
    expect(envelope).toMatchObject({ ok: false, kind: "unavailable" })
    expect(runs()).toBe(0)
    expect(Buffer.compare(before, readFileSync(file))).toBe(0)
    return envelope.ok ? "" : envelope.message
  }

  it("F18, O8: is named in one sentence and left alone, whether newer, foreign or damaged", async () => {
    const good = await makeRecord(makeDirectory())
    const { DatabaseSync } = loadSqlite()
    const copy = () => {
      const home = makeDirectory()
      const file = join(home, "record.sqlite")
      copyFileSync(good, file)
      return { home, file }
    }
    const newer = copy()
    const database = new DatabaseSync(newer.file)
    database.exec("PRAGMA journal_mode = DELETE; PRAGMA user_version = 99")
    database.close()
    expect(await refusal(newer.home)).toContain(
      "was written by a newer Toolkeep (its version is 99",
    )

    const foreign = copy()
    rmSync(foreign.file)
    const other = new DatabaseSync(foreign.file)
    other.exec("PRAGMA application_id = 77; CREATE TABLE accounts (id INTEGER)")
    other.close()
    expect(await refusal(foreign.home)).toContain("is the database of another program")

    const text = copy()
    writeFileSync(text.file, "This is a text. ".repeat(1_000))
    expect(await refusal(text.home)).toContain("is damaged and was not changed")

    // Behind the first page, which has the schema.
    const damaged = copy()
    const bytes = readFileSync(damaged.file)
    writeFileSync(damaged.file, bytes.fill(0xa5, 4096))
    expect(await refusal(damaged.home)).toContain("is damaged and was not changed")

    const cut = copy()
    writeFileSync(cut.file, bytes.subarray(0, 5000))
    expect(await refusal(cut.home)).toContain("is damaged and was not changed")
  })

  it("F18: is named in one sentence where the disk is read-only, and works when it is not any more", async () => {
    const disk = openDisk(4)
    await makeRecord(disk)
    execFileSync("mount", ["-o", "remount,ro", disk])
    expect(await refusal(disk)).toMatch(/read-only|can't be opened/)
    execFileSync("mount", ["-o", "remount,rw", disk])
    const { call } = await openCounting(disk)
    expect(await call("test.count")).toMatchObject({ ok: true })
  })

  it("F18: is named in one sentence while another process has it for itself, and works afterwards", async () => {
    const home = makeDirectory()
    const file = await makeRecord(home)
    const args = ["--input-type=module", "-e", holding, file]
    const other = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
    await once(other.stdout, "data")
    const { session, call, runs } = await openCounting(home)
    expect(await call("test.count")).toMatchObject({
      ok: false,
      kind: "unavailable",
      retryable: true,
      message: expect.stringContaining("is being written by another process; try again"),
    })
    expect(runs()).toBe(0)
    other.kill("SIGKILL")
    await once(other, "exit")
    expect(await call("test.count")).toMatchObject({ ok: true })
    expect(await recorded(session)).toEqual(["call ok", "call ok"])
  }, 120_000)
})
