import { success } from "../../src/contract/index.ts"
import { createId, systemClock } from "../../src/kit/index.ts"
import type { RecordedCall } from "../../src/runtime/index.ts"
import { callBody } from "../../src/session/record/call-entries.ts"
import { recordCalls } from "../../src/session/record/record-calls.ts"
import { postgresRecord } from "../../src/store/index.ts"
import type { PostgresServer } from "../../test/support/postgres/start-postgres.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"
import { openBareInserts } from "./bare-inserts.ts"

/** The entries of a call as the runtime records them, against the same rows by hand. */
export async function appendOnPostgres(server: PostgresServer): Promise<BenchRow> {
  await using store = await postgresRecord({ url: await server.createDatabase() })
  const record = store.open("bench")
  const recorder = recordCalls(() => record, systemClock)
  await using bare = await openBareInserts(await server.createDatabase())
  const recorded = async () => {
    const call = callOf(createId("call"))
    await recorder.started(call)
    await recorder.ended(call, envelope, 12)
  }
  const byHand = async () => {
    const id = createId("call")
    await bare.started(id, callBody(callOf(id)))
    await bare.ended(id, { call: id, envelope, duration_ms: 12 })
  }
  return {
    id: "postgres-append",
    what: "rate of appending a call's entries on PostgreSQL, against bare prepared inserts in the same transactions",
    value: await measureTimeRatio(byHand, recorded, { rounds: 31, roundMs: 200 }),
    bar: 0.6,
    aim: 0.9,
    better: "higher",
  }
}

const input = { path: "src/main.ts", content: "export const answer = 42\n".repeat(20) }
const envelope = success("file.write", { path: "src/main.ts", bytes: 500 }, [])

function callOf(id: string): RecordedCall {
  const facts = { sent: input, checked: null, verdict: null, start: "none" } as const
  return { ...{ id, tool: "file.write", sandbox: "default" }, ...facts }
}
