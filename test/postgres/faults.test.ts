import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { postgresLimits, postgresRecord, type RecordStore } from "../../src/store/index.ts"
import { runSql } from "../support/postgres/start-postgres.ts"
import { through, usePostgres } from "./postgres-fixture.ts"

const { server, pooler } = usePostgres()

const ownerProgram = fileURLToPath(new URL("./owner-program.ts", import.meta.url))

interface Said {
  readonly ran?: true
  readonly call?: string
  readonly envelope?: { readonly ok: boolean; readonly message?: string }
}

/** A process with the session "work" open. `apart`: where its pid means nothing to this one, as on another machine. */
async function startOwner(url: string, { apart = false } = {}) {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-owner-"))
  const command = [
    ...(apart ? ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"] : []),
    ...[process.execPath, ownerProgram, url, home],
  ]
  const [program = "", ...args] = command
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] })
  onTestFinished(() => {
    child.kill("SIGKILL")
    rmSync(home, { recursive: true, force: true })
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<Said> => JSON.parse((await lines.next()).value ?? "{}")
  await next()
  /** Makes one call; what was said until it was answered. */
  const call = async (): Promise<readonly Said[]> => {
    child.stdin.write("\n")
    const said = [await next()]
    while (said.at(-1)?.call === undefined) said.push(await next())
    return said
  }
  const kill = async () => {
    child.kill("SIGKILL")
    await once(child, "exit")
  }
  return { child, call, kill }
}

/** Opens "work" as soon as that is possible. Until then it is refused in words. */
async function takeOver(store: RecordStore, url: string) {
  const refusal = await store.open("work").catch((error: Error) => error.message)
  expect(refusal).toMatch(
    /^The session "work" is open in another process \(process \d+.*\)\. Close it there, or use another name\. If that process has ended, the session can be opened in \d+ s\.$/,
  )
  const [lease] = await runSql(url, leaseOf)
  await expect
    .poll(
      () =>
        store.open("work").then(
          () => true,
          () => false,
        ),
      { timeout: 60_000, interval: 200 },
    )
    .toBe(true)
  const [row] = await runSql(
    url,
    `SELECT now() >= '${lease?.until}'::timestamptz AS "isOver", generation FROM toolkeep.sessions`,
  )
  expect(row).toEqual({ isOver: true, generation: String(Number(lease?.generation) + 1) })
}

const leaseOf = "SELECT lease_until::text AS until, generation FROM toolkeep.sessions"

describe("the process that has a session open", () => {
  it("F20, Y16: is killed: another takes over after its lease, and finds all that was answered", async () => {
    const url = await server().createDatabase()
    const owner = await startOwner(url, { apart: true })
    const answered = [await owner.call(), await owner.call()].map((said) => said.at(-1))
    await owner.kill()
    await using store = await postgresRecord({ url })
    await takeOver(store, url)
    const entries = (await (await store.read("work"))?.entries()) ?? []
    expect(entries.map(({ kind }) => kind)).toEqual(["call", "envelope", "call", "envelope"])
    const bodies = entries.map(({ body }) => body as Said)
    expect(bodies.filter(({ envelope }) => envelope)).toMatchObject(answered as Said[])
  })

  it("F20, Y16: is stopped beyond its lease and continued: it writes and runs nothing any more", async () => {
    const url = through(pooler(), await server().createDatabase())
    const owner = await startOwner(url)
    expect(await owner.call()).toMatchObject([{ ran: true }, { envelope: { ok: true } }])
    owner.child.kill("SIGSTOP")
    await using store = await postgresRecord({ url })
    await takeOver(store, url)
    const session = await store.open("work")
    await session.append([{ kind: "note", at: 1, body: "newer" }])
    const before = await session.entries()
    owner.child.kill("SIGCONT")
    const said = [...(await owner.call()), ...(await owner.call())]
    expect(said).toHaveLength(2)
    for (const { envelope } of said) {
      expect(envelope).toMatchObject({
        ...{ ok: false, kind: "unavailable" },
        message: expect.stringMatching(
          /^Nothing was done, because the call could not be recorded: The session "work" was opened again/,
        ),
      })
    }
    expect(await session.entries()).toEqual(before)
    await session.append([{ kind: "note", at: 2, body: "still" }])
  })

  it("F20: keeps it while it lives, with one statement for all its sessions", async () => {
    const url = await server().createDatabase()
    await using store = await postgresRecord({ url })
    await Promise.all(["a", "b", "c"].map((name) => store.open(name)))
    const leases = () =>
      runSql(url, "SELECT DISTINCT lease_until::text AS until FROM toolkeep.sessions")
    const first = await leases()
    expect(first).toHaveLength(3)
    // One statement has one time.
    await expect.poll(leases, { timeout: 60_000 }).toHaveLength(1)
    const [renewed] = await leases()
    expect(first.every(({ until }) => String(until) < String(renewed?.until))).toBe(true)
  })
})

describe("a database that is restarted", () => {
  const cases = [
    { how: "orderly", by: "directly" },
    { how: "crash", by: "directly" },
    { how: "orderly", by: "through pgbouncer" },
    { how: "crash", by: "through pgbouncer" },
  ] as const
  it.each(cases)(
    "F18, F20: ($how, $by) loses and repeats nothing, and followers go on",
    async ({ how, by }) => {
      const direct = await server().createDatabase()
      const url = by === "directly" ? direct : through(pooler(), direct)
      await using store = await postgresRecord({ url })
      await using other = await postgresRecord({ url })
      const session = await store.open("one")
      const followed: unknown[] = []
      const stop = new AbortController()
      const follow = async () => {
        const reader = await other.read("one")
        for await (const { body } of reader?.follow({ after: 0, signal: stop.signal }) ?? []) {
          followed.push(body)
        }
      }
      const following = follow()
      let isBack = false
      const restart = async () => {
        await server().stop(how)
        await server().start()
        isBack = true
      }
      const written: number[] = []
      let restarted: Promise<void> | undefined
      // Until some were written after it was back.
      for (let left = 50; left > 0; left -= isBack ? 1 : 0) {
        const number = written.length + 1
        const [entry] = await session.append([{ kind: "note", at: 1, body: number }])
        expect(entry?.sequence).toBe(number)
        written.push(number)
        if (number === 50) restarted = restart()
      }
      await restarted
      await expect.poll(() => followed.length, { timeout: 60_000 }).toBe(written.length)
      stop.abort()
      await following
      expect(followed).toEqual(written)
      await session.close()
    },
  )

  it("F18, O8: answers in words while it is away, and continues when it is back", async () => {
    const url = await server().createDatabase()
    await using store = await postgresRecord({ url })
    const session = await store.open("one")
    await session.append([{ kind: "note", at: 1, body: 1 }])
    await server().stop()
    const started = performance.now()
    const attempts = await Promise.allSettled([
      session.append([{ kind: "note", at: 1, body: "away" }]),
      session.entries(),
      store.open("two"),
    ])
    const took = performance.now() - started
    expect(took).toBeGreaterThan(postgresLimits.repeatMs - 1)
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({
        reason: {
          kind: "unavailable",
          message: `PostgreSQL at 127.0.0.1:${server().port} can't be reached (ECONNREFUSED). Check that it runs, and store in toolkeep.yaml.`,
        },
      })
    }
    await server().start()
    await session.append([{ kind: "note", at: 1, body: 2 }])
    expect((await session.entries()).map(({ body }) => body)).toEqual([1, 2])
  })
})
