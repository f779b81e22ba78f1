// One call in a sandbox: the answer is an envelope, whatever happens.
import assert from "node:assert/strict"
import { openToolkeep } from "toolkeep/session"

await using keep = await openToolkeep({ host: "memory" })
const session = keep.session("demo")

const greeting = await session.call("shell.exec", { command: "echo hello | tr a-z A-Z" })
assert(greeting.ok)
assert.equal((greeting.result as { stdout: string }).stdout, "HELLO\n")

// What a model sends slightly wrong is read as meant, and a warning says so.
const repaired = await session.call("shell.exec", { command: "true", timeout_ms: "1500" })
assert(repaired.ok)
assert.deepEqual(repaired.warnings, ['timeout_ms: text "1500" read as 1500'])

// What can't be meant is refused with what to send instead.
const refused = await session.call("shell.exec", { comand: "true" })
assert(!refused.ok)
assert.equal(refused.message, 'Unknown argument "comand"; did you mean "command"?')

console.log(greeting, repaired.warnings, refused.message)
