import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { openToolkeep } from "./open-toolkeep.ts"

it("Y14: memory outlives its session, which leaves nothing open; a damaged file is named", async () => {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-home-"))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const note = { namespace: "user", content: "Likes tea." }
  {
    await using keep = await openToolkeep({ host: "memory", home, policy: "messaging" })
    expect(await keep.session("one").call("memory.write", note)).toMatchObject({ ok: true })
  }
  // SQLite removes its journal when the last who has the file open closes it.
  expect(existsSync(join(home, "memory.db-wal"))).toBe(false)
  {
    await using keep = await openToolkeep({ host: "memory", home, policy: "messaging" })
    const read = await keep.session("two").call("memory.read", { namespace: "user" })
    expect(read).toMatchObject({ ok: true, result: { text: "Likes tea." } })
  }
  await writeFile(join(home, "memory.db"), "no database ".repeat(1_000))
  await using keep = await openToolkeep({ host: "memory", home, policy: "messaging" })
  expect(await keep.session("three").call("memory.write", note)).toMatchObject({
    ...{ ok: false, kind: "unavailable" },
    message: `The memory in ${join(home, "memory.db")} is damaged and was not changed. Move it away or restore a backup.`,
  })
})
