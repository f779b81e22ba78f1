import { join } from "node:path"
import { success } from "../../src/contract/index.ts"
import { createId, systemClock } from "../../src/kit/index.ts"
import type { RecordedCall } from "../../src/runtime/index.ts"
import { callBody } from "../../src/session/record/call-entries.ts"
import { recordCalls } from "../../src/session/record/record-calls.ts"
import { openRecord } from "../../src/store/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"
import { openBareInserts } from "./bare-inserts.ts"

/** The entries of a call as the runtime records them, against the same rows by hand. */
export async function append(directory: string): Promise<BenchRow> {
  await using store = await openRecord({ file: join(directory, "append.db") })
  const record = store.open("bench")
  const recorder = recordCalls(() => record, systemClock)
  using bare = await openBareInserts(join(directory, "bare.db"))
  const recorded = async () => {
    const call = callOf(createId("call"))
    await recorder.started(call)
    await recorder.ended(call, envelope, 12)
  }
  const byHand = () => {
    const id = createId("call")
    bare.started(id, callBody(callOf(id)))
    bare.ended(id, { call: id, envelope, duration_ms: 12 })
  }
  return {
    id: "session-append",
    what: "rate of appending a call's entries as the runtime does it, against bare prepared inserts",
    value: await measureTimeRatio(byHand, recorded, { rounds: 31, roundMs: 200 }),
    bar: 0.6,
    aim: 0.8,
    better: "higher",
  }
}

const input = { path: "src/main.ts", content: "export const answer = 42\n".repeat(20) }
const envelope = success("file.write", { path: "src/main.ts", bytes: 500 }, [])

function callOf(id: string): RecordedCall {
  const facts = { sent: input, checked: null, verdict: null, start: "none" } as const
  return { ...{ id, tool: "file.write", sandbox: "default" }, ...facts }
}
