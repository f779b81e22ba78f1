// One call in a sandbox: the answer is an envelope, whatever happens.
import assert from "node:assert/strict"
import { openToolkeep } from "toolkeep"

await using keep = await openToolkeep({ host: "memory" })
const session = keep.session("demo")

const greeting = await session.call("shell.exec", { command: "echo hello | tr a-z A-Z" })
assert(greeting.ok)
assert(greeting.result.kind === "command")
assert.equal(greeting.result.stdout, "HELLO\n")

// `call` is typed by the tool's schema; `start` takes what a model sent. Slightly malformed input is repaired, with a warning.
const sent = { command: "true", timeout_ms: "1500" }
const repaired = await session.start("shell.exec", sent).envelope
assert(repaired.ok)
assert.deepEqual(repaired.warnings, ['timeout_ms: text "1500" read as 1500'])

// Input that can't be repaired is refused with what to send instead.
const refused = await session.start("shell.exec", { comand: "true" }).envelope
assert(!refused.ok)
assert.equal(refused.message, 'Unknown argument "comand"; did you mean "command"?')

console.log(greeting, repaired.warnings, refused.message)
