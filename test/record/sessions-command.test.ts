import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, it } from "vitest"
import { openToolkeep } from "../../src/session/index.ts"
import { openRecord } from "../../src/store/index.ts"
import { runCli, startCli } from "../e2e/run-cli.ts"
import { makeDirectory } from "./record-fixture.ts"

function makeHome(): string {
  const home = makeDirectory()
  // Sandboxes are other users, which walk through it.
  chmodSync(home, 0o711)
  return home
}

const sessions = (home: string, ...args: string[]) => runCli(["sessions", ...args], { home })

async function fill(home: string, name: string): Promise<void> {
  await using toolkeep = await openToolkeep({ host: "bubblewrap", home, durable: true })
  const session = toolkeep.session(name)
  await session.call("shell.exec", { command: "echo hi | tee file" })
  await session.call("artifact.share", { path: "file" })
}

describe("toolkeep sessions", () => {
  it("F20, O22: lists, shows, exports, imports and deletes what was recorded, with all its files", async () => {
    const home = makeHome()
    expect(await sessions(home, "list")).toMatchObject({ exitCode: 0, stdout: "[]\n" })
    const missing = await sessions(home, "show", "work")
    expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("There is no") })
    expect(existsSync(join(home, "record.sqlite"))).toBe(false)

    await fill(home, "work")
    const listed = JSON.parse((await sessions(home, "list")).stdout)
    expect(listed).toMatchObject([{ name: "work", entries: 4, state: "idle", open: false }])
    const shown = (await sessions(home, "show", "work")).stdout.trim().split("\n")
    expect(shown.map((line) => JSON.parse(line).kind)).toEqual([
      ...["call", "envelope", "call", "envelope"],
    ])
    expect((await sessions(home, "show", "wrok")).stderr).toContain('Did you mean "work"?')

    const file = join(home, "exported.jsonl")
    expect(await sessions(home, "export", "work", "--out", file)).toMatchObject({ exitCode: 0 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await sessions(home, "export", "work")).stdout).toBe(readFileSync(file, "utf8"))
    expect(await sessions(home, "export", "work", "--out", file)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("exists already"),
    })
    const imported = await sessions(home, "import", file, "--name", "copy")
    expect(JSON.parse(imported.stdout)).toEqual({ name: "copy", entries: 4, questions: 0 })
    expect(await sessions(home, "import", file)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('there is a session "work" already'),
    })

    expect(readdirSync(join(home, "sessions"))).toEqual(["work"])
    const kept = () =>
      readdirSync(join(home, "bubblewrap")).filter((one) => one.startsWith("kept_"))
    expect(kept()).toHaveLength(1)
    expect(JSON.parse((await sessions(home, "delete", "work")).stdout)).toEqual({
      deleted: ["work"],
    })
    expect(readdirSync(join(home, "sessions"))).toEqual([])
    expect(kept()).toEqual([])
    expect(existsSync(join(home, "artifacts/work"))).toBe(false)
    expect(await sessions(home, "delete", "work")).toMatchObject({ exitCode: 1 })
    expect(JSON.parse((await sessions(home, "list")).stdout)).toMatchObject([{ name: "copy" }])
    expect(await sessions(home, "destroy", "copy")).toMatchObject({ exitCode: 2 })
  }, 240_000)

  it("F20: refuses to delete or release what a living process has open, and goes on with --follow", async () => {
    const home = makeHome()
    await using toolkeep = await openToolkeep({ host: "memory", home, record: true })
    const session = toolkeep.session("work")
    await session.call("system.info")
    for (const verb of ["delete", "release"]) {
      expect(await sessions(home, verb, "work")).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('The session "work" is open in'),
      })
    }
    const { child, done } = startCli(["sessions", "show", "work", "--follow"], { home })
    const lines = createInterface({ input: child.stdout ?? process.stdin })
    const seen: string[] = []
    for await (const line of lines) {
      seen.push(JSON.parse(line).kind)
      if (seen.length === 2) await session.call("system.info")
      if (seen.length === 4) child.kill("SIGINT")
    }
    expect(await done).toMatchObject({ exitCode: 0 })
    expect(seen).toEqual(["call", "envelope", "call", "envelope"])
  }, 120_000)

  it("Y16: a session of a process on another machine is refused, and `release` frees it", async () => {
    const home = makeHome()
    const file = join(home, "record.sqlite")
    const owner = `another-boot:4026531836:77:1:${"a".repeat(32)}`
    const other = await openRecord({ file, owner })
    const session = await other.open("work")
    const store = await openRecord({ file })
    await expect(store.open("work")).rejects.toThrow(
      'The session "work" is open in another process (process 77 of another machine or container). ' +
        'If that process has ended, run: toolkeep sessions release "work"',
    )
    expect(await sessions(home, "release", "work")).toMatchObject({ exitCode: 0 })
    const taken = await store.open("work")
    await taken.append([{ kind: "note", at: 1, body: null }])
    await expect(session.append([{ kind: "note", at: 1, body: null }])).rejects.toThrow("elsewhere")
    await Promise.all([store.close(), other.close()])
  }, 120_000)
})
