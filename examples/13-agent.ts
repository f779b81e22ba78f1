// An agent: a model that works with a session's tools until it is done. It gives a part of the work to another one, a
// person is asked before a command runs, and the run ends with a value that satisfies a schema. The models are scripted.
import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openToolkeep } from "toolkeep"
import { createAgent } from "toolkeep/agent"
import { scriptedModel } from "../test/support/agent/scripted-model.ts"

const task = { task: "Count the lines of notes.md.", role: "reader" }
const model = scriptedModel([
  { calls: [{ tool: "file_write", input: { path: "notes.md", content: "one\ntwo\n" } }] },
  { calls: [{ tool: "task", input: task }] },
  { calls: [{ tool: "complete", input: { summary: "Counted.", result: { lines: 2 } } }] },
])
const reader = scriptedModel([
  { calls: [{ tool: "shell_exec", input: { command: "wc -l < notes.md" } }] },
  { text: "It has 2 lines." },
])

const home = mkdtempSync(join(tmpdir(), "toolkeep-example-"))
{
  const policy = { tools: { policy: "full", hooks: { confirm: ["shell.exec"] } } } as const
  await using keep = await openToolkeep({ host: "memory", home, record: true, policy })
  const asked: string[] = []
  // Any id such as "anthropic/claude-sonnet-4-5" instead of a model asks the real one.
  const agent = createAgent({
    model,
    roles: { reader: { description: "Reads files.", model: reader } },
    async approve({ question, fingerprint }) {
      asked.push(question)
      return { kind: "approved", fingerprint }
    },
  })
  const schema = {
    type: "object",
    properties: { lines: { type: "integer" } },
    required: ["lines"],
  }
  const result = await agent.run(keep.session("demo"), "How long is notes.md?", { schema }).result

  assert.partialDeepStrictEqual(result, { why: "completed", value: { lines: 2 } })
  assert.equal(asked.length, 1)
  assert.match(asked[0] ?? "", /wc -l/)
  console.log(result)
}
rmSync(home, { recursive: true })
