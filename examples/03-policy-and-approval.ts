// A policy decides what may run; where it says so, a person is asked about exactly what will run.
import assert from "node:assert/strict"
import { openToolkeep } from "toolkeep"
import { parsePolicyYaml } from "toolkeep/core"

const policy = await parsePolicyYaml(
  `
tools:
  policy: full
  rules:
    - deny: shell.exec
      when: { command: "\\\\brm\\\\b" }
      because: Nothing is deleted here.
  hooks:
    confirm: [file.write]
`,
  "toolkeep.yaml",
)

const asked: unknown[] = []
await using keep = await openToolkeep({
  host: "memory",
  policy,
  approve: async (request) => {
    asked.push(request.input)
    return { kind: "approved", fingerprint: request.fingerprint }
  },
})
const session = keep.session()

const written = await session.call("file.write", { path: "a.txt", content: "one" })
assert(written.ok)
assert.equal(asked.length, 1)

// A call can bring an approver of its own, such as the person who asked for it.
const input = { path: "b.txt", content: "two" }
const refused = await session.call("file.write", input, {
  approve: async () => ({ kind: "denied", reason: "not today" }),
})
assert(!refused.ok)
assert.equal(refused.kind, "user_denied")

const denied = await session.call("shell.exec", { command: "rm a.txt" })
assert(!denied.ok)
assert.equal(denied.kind, "rejected")
console.log(asked, denied.message)
