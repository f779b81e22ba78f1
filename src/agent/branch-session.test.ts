import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { scriptedModel } from "../../test/support/agent/scripted-model.ts"
import { openToolkeep } from "../session/index.ts"
import { createAgent } from "./index.ts"

const writes = (text: string) => ({
  calls: [
    { tool: "shell_exec", input: { command: `echo ${text} > note.txt; echo ${text} >> log` } },
  ],
})

for (const host of ["memory", "bubblewrap"]) {
  it(`X6: on ${host}, a session goes on from any earlier entry, with the files of that time`, async () => {
    const home = mkdtempSync(join(tmpdir(), "toolkeep-branch-"))
    chmodSync(home, 0o711)
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    await using toolkeep = await openToolkeep({ host, home, record: true })
    const session = toolkeep.session("demo")
    const model = scriptedModel([
      writes("one"),
      { text: "One." },
      writes("two"),
      { text: "Two." },
      { calls: [{ tool: "file_read", input: { path: "log" } }] },
      { text: "Other." },
    ])
    const agent = createAgent({ model })
    const record = await session.record?.()
    await agent.run(session, "First.").result
    const head = (await record?.session())?.head ?? 0
    await agent.run(session, "Second.").result
    expect(await agent.branch(session, head)).toMatchObject({ isRestored: true })
    const result = await agent.run(session, "Third.").result
    expect(result).toMatchObject({ why: "finished", text: "Other." })
    const last = JSON.stringify(model.requests.at(-1)?.prompt)
    expect(last).toContain("First.")
    expect(last).not.toContain("Second.")
    expect(JSON.stringify(model.requests.at(-1)?.prompt.at(-1))).not.toContain("two")
    expect(await session.call("file.read", { path: "note.txt" })).toMatchObject({
      result: { text: expect.stringMatching(/^one\n?$/) },
    })
    // What came after the entry is still in the record.
    const all = JSON.stringify(await record?.entries())
    expect(all).toContain("Second.")
    await expect(agent.branch(session, 10_000)).rejects.toThrow("There is no entry 10000")
    // Before there was a sandbox, there were no files.
    await agent.branch(session, 1)
    expect(session.sandboxes.list()).toEqual([])
  })
}
