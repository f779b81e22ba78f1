import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { systemClock } from "../../src/kit/index.ts"
import { ownerOf } from "../../src/node/process-identity.ts"
import { oldThings, removeOldThings } from "../../src/sandbox/index.ts"
import { cleanHome, openToolkeep } from "../../src/session/index.ts"
import { openRecord } from "../../src/store/index.ts"
import { runCli } from "../e2e/run-cli.ts"
import { openMcpFixture } from "./fault-ground.ts"

const day = 86_400_000

/** Of a process that there is not any more. */
const ended = ownerOf(2 ** 30)

function makeOld(path: string, days: number): void {
  const then = new Date(Date.now() - days * day)
  utimesSync(path, then, then)
}

/** A home with something of each kind that a Toolkeep keeps, made by one that has closed. */
async function fillHome(home: string): Promise<void> {
  await using keep = await openToolkeep({ host: "bubblewrap", home, durable: true })
  const session = keep.session("kept")
  await session.call("shell.exec", { command: "head -c 1M /dev/urandom >file" })
  await session.call("artifact.share", { path: "file" })
  await session.sandboxes.holdSnapshot("default")
}

const kindsOf = ({ removed }: { readonly removed: readonly { readonly kind: string }[] }) =>
  [...new Set(removed.map(({ kind }) => kind))].sort()

describe("cleaning", () => {
  it("O22: leaves what is being made, and what somebody has taken up since it was found to be old", async () => {
    const shared = join(openMcpFixture(), "bubblewrap")
    const [left, fresh] = [join(shared, "sandbox_left"), join(shared, "sandbox_fresh")]
    for (const path of [left, fresh]) mkdirSync(path, { recursive: true })
    writeFileSync(join(left, "owner"), ended)
    const ages = { sandboxesMs: 0, snapshotsMs: 0, imagesMs: 0, programsMs: 0 }
    const needed = { keptAs: new Set<string>(), snapshots: new Set<string>() }
    const things = oldThings(shared, ages, { needed, now: Date.now() })
    expect(things.map(({ path }) => path)).toEqual([left])
    writeFileSync(join(left, "owner"), ownerOf(process.pid))
    await expect(removeOldThings(shared, things)).rejects.toThrow("in use again")
    expect(existsSync(left)).toBe(true)
  })

  it("O22, C18: removes what is old and nothing else, and says first what that would be", async () => {
    const home = openMcpFixture()
    await fillHome(home)
    expect(await cleanHome({ home })).toEqual({ removed: [], failed: [] })
    const [artifact = ""] = readdirSync(join(home, "artifacts/kept")).filter(
      (name) => name !== "owner",
    )
    makeOld(join(home, "artifacts/kept", artifact), 31)
    makeOld(join(home, "sessions/kept"), 60)
    const image = join(home, "bubblewrap/images/0123")
    mkdirSync(join(image, "root"), { recursive: true })
    makeOld(image, 31)
    const left = join(home, "bubblewrap/sandbox_left")
    mkdirSync(join(left, "home"), { recursive: true })
    writeFileSync(join(left, "owner"), ended)
    const planned = await cleanHome({ home, dryRun: true })
    expect(planned.removed.map(({ path }) => existsSync(path))).toEqual([true, true])
    // The image stays while this process, which uses what sandboxes share there, lives.
    expect(kindsOf(planned)).toEqual(["artifact", "sandbox"])
    const done = await cleanHome({ home })
    expect(done.failed).toEqual([])
    expect(existsSync(left)).toBe(false)
    expect(readdirSync(join(home, "artifacts/kept"))).not.toContain(artifact)
    await using keep = await openToolkeep({ host: "bubblewrap", home, durable: true })
    const found = await keep.session("kept").call("shell.exec", { command: "wc -c <file" })
    expect(found).toMatchObject({ ok: true, result: { stdout: "1048576\n" } })
    // In use by this process, whatever is asked for.
    const all = await cleanHome({ home, olderThanMs: 0 })
    expect(kindsOf(all)).not.toContain("session")
    expect(readdirSync(join(home, "sessions"))).toEqual(["kept"])
  })

  it("O22, F20: removes the records of sessions that nobody has used for long, with those of their children", async () => {
    const home = openMcpFixture()
    const now = Date.now()
    const file = join(home, "record.sqlite")
    const makeAt = async (days: number, ...names: readonly string[]) => {
      const clock = { ...systemClock, now: () => now - days * day }
      await using store = await openRecord({ file, clock })
      for (const name of names) {
        const session = await store.open(name)
        await session.append([{ kind: "note", at: 0, body: null }])
        const parent = { session: session.id, call: "1" }
        await store.open(`${name} child`, { parent })
      }
    }
    await makeAt(91, "old", "used by its child", "open")
    await makeAt(89, "new")
    await using store = await openRecord({ file })
    const note = [{ kind: "note", at: 0, body: null }]
    await (await store.open("used by its child child")).append(note)
    const held = await store.open("open")
    const planned = await cleanHome({ home, dryRun: true })
    expect(planned.removed.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual([
      ...["record old", "record open"],
    ])
    const { removed, failed } = await cleanHome({ home })
    expect(removed).toMatchObject([{ kind: "record", path: "old", usedMs: now - 91 * day }])
    expect(failed).toMatchObject([{ path: "open", reason: expect.stringContaining("is open") }])
    const left = (await store.sessions()).map(({ name }) => name)
    expect(left.filter((name) => name.startsWith("old"))).toEqual([])
    expect(left).toHaveLength(6)
    await held.append(note)
    expect((await cleanHome({ home })).removed).toEqual([])
  })

  it("F18: works from the command line on a disk that is completely full, and frees layers with the last that has them", async () => {
    const home = join(openMcpFixture(), "disk")
    mkdirSync(home)
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=40m,mode=755", "tmpfs", home])
    onTestFinished(() => {
      execFileSync("umount", ["-l", home])
    })
    const call = ["call", "--session", "old", "shell.exec"]
    const made = await runCli([...call, '{"command": "head -c 2M /dev/urandom >file"}'], { home })
    expect(made.exitCode).toBe(0)
    try {
      execFileSync("sh", ["-c", `cat /dev/zero >${home}/filling`], { stdio: "ignore" })
    } catch {}
    const shown = await runCli(["clean", "--dry-run", "--older-than", "0m", "--json"], { home })
    expect(JSON.parse(shown.stdout)).toMatchObject({ dryRun: true, failed: [] })
    expect(readdirSync(join(home, "sessions"))).toEqual(["old"])
    const cleaned = await runCli(["clean", "--older-than", "0m", "--json"], { home })
    const { bytes, removed } = JSON.parse(cleaned.stdout)
    expect(cleaned.exitCode).toBe(0)
    expect(bytes).toBeGreaterThan(2 * 2 ** 20)
    expect(kindsOf({ removed })).toEqual(expect.arrayContaining(["sandbox", "session"]))
    expect(readdirSync(join(home, "sessions"))).toEqual([])
    const wrong = await runCli(["clean", "--older-than", "soon"], { home })
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("such as 7d") })
  })
})
