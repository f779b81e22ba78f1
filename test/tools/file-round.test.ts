import { expect, it } from "vitest"
import { memoryHost } from "../../src/sandbox/index.ts"
import { openToolkeep } from "../../src/session/index.ts"

it("Y14.file: a file is written, edited, read and listed", async () => {
  await using toolkeep = await openToolkeep({ host: memoryHost() })
  const session = toolkeep.session()
  const edits = [{ search: "one", replace: "two" }]
  expect(await session.call("file.write", { path: "a/note.md", content: "one\n" })).toMatchObject({
    ok: true,
  })
  expect(await session.call("file.edit", { path: "a/note.md", edits })).toMatchObject({ ok: true })
  expect(await session.call("file.read", { path: "a/note.md" })).toMatchObject({
    result: { text: "two\n" },
  })
  expect(await session.call("file.list", { path: "a" })).toMatchObject({
    result: { entries: [{ name: "note.md", path: "a/note.md", type: "file" }], entry_count: 1 },
  })
})
