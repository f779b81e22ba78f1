import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import { defineTool } from "../../src/contract/index.ts"
import { openToolkeep } from "../../src/session/index.ts"

// A process that has a session open, and makes one call for each line that it reads. It says what ran and what was answered.

const [store = "", home = ""] = process.argv.slice(2)
const say = (value: unknown) => writeSync(1, `${JSON.stringify(value)}\n`)

const count = defineTool({
  name: "test.count",
  description: "Counts.",
  input: { type: "object", properties: {}, additionalProperties: false },
  effects: ["write"],
  run() {
    say({ ran: true })
    return { done: true }
  },
})

const toolkeep = await openToolkeep({
  ...{ host: "memory", home, record: true, policy: { store }, tools: [count] },
})
const session = toolkeep.session("work")
say({ session: (await session.record?.())?.id })
for await (const _ of createInterface({ input: process.stdin })) {
  const { id, envelope } = session.start("test.count", {})
  say({ call: id, envelope: await envelope })
}
