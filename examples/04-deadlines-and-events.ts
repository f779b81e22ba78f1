// Deadlines end the work; every stage of a call is an event.
import assert from "node:assert/strict"
import { openToolkeep } from "toolkeep"

await using keep = await openToolkeep({ host: "memory" })
const session = keep.session()
const stages: string[] = []
session.listen((event) => stages.push(event.kind))

// For a model, a timeout is a result it can reason about.
const busy = "while true; do :; done"
const ended = await session.call("shell.exec", { command: busy, timeout_ms: 300 })
assert(ended.ok)
assert.equal(ended.result.exit_code, 124)

// For a program, it is a cancellation like any other.
const cancelled = await session.call("shell.exec", { command: busy }, { timeoutMs: 300 })
assert(!cancelled.ok)
assert.equal(cancelled.kind, "timeout")

const workspace = await session.workspace()
await assert.rejects(workspace.exec(busy, { signal: AbortSignal.timeout(300) }), {
  name: "TimeoutError",
})

assert.deepEqual(stages.slice(0, 4), [
  "call-requested",
  "call-checked",
  "call-judged",
  "call-started",
])
console.log(ended, cancelled.message, stages)
