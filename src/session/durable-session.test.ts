import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openToolkeep } from "./open-toolkeep.ts"

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "toolkeep-session-"))
  chmodSync(home, 0o755)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

it("C1, C18: a durable session finds its sandboxes again, under any name it may have", async () => {
  for (const name of ["demo", "../../etc", "a/b c"]) {
    const keep = await openToolkeep({ host: "bubblewrap", home, durable: true })
    const written = await keep.session(name).call("file.write", { path: "a.txt", content: name })
    expect(written).toMatchObject({ ok: true })
    await keep.close()
  }
  for (const name of ["demo", "../../etc", "a/b c"]) {
    await using keep = await openToolkeep({ host: "bubblewrap", home, durable: true })
    const session = keep.session(name)
    expect(session.sandboxes.list()).toMatchObject([{ name: "default", status: "sleeping" }])
    expect(await session.call("shell.exec", { command: "cat a.txt" })).toMatchObject({
      ok: true,
      result: { stdout: name },
    })
    await session.destroy()
  }
  // How much all of it takes is measured and written down beside it, whenever that is done.
  const left = readdirSync(home).filter((name) => name !== "disk-use")
  expect(left.sort()).toEqual(["bubblewrap", "record.sqlite", "sessions"])
  expect(readdirSync(join(home, "sessions"))).toEqual([])
})

it("C1: a session that is not durable leaves nothing", async () => {
  const keep = await openToolkeep({ host: "bubblewrap", home })
  await keep.session("demo").call("shell.exec", { command: "echo hi > a.txt" })
  await keep.close()
  expect(existsSync(join(home, "sessions"))).toBe(false)
  expect(readdirSync(join(home, "bubblewrap")).filter((name) => name.includes("_"))).toEqual([])
})

it("O30.commands: a turn has a number of commands, and the next turn has them again", async () => {
  await using keep = await openToolkeep({ host: "memory", commandsPerTurn: 2 })
  const session = keep.session()
  const run = () => session.call("shell.exec", { command: "echo hi" })
  for (let before = 0; before < 5; before += 1) expect(await run()).toMatchObject({ ok: true })
  session.startTurn()
  expect(await run()).toMatchObject({ ok: true })
  expect(await run()).toMatchObject({ ok: true })
  expect(await run()).toMatchObject({
    ok: false,
    kind: "rejected",
    message: "This turn has run 2 commands, which is its cap. Go on in the next turn.",
  })
  expect(await session.call("file.list", { path: "." })).toMatchObject({ ok: true })
  session.startTurn()
  expect(await run()).toMatchObject({ ok: true })
})
