import { setTimeout as wait } from "node:timers/promises"
import { type ApiClient, createClient } from "../../src/api/index.ts"
import type { ConsoleFixture } from "../../test/console/console-fixture.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { median } from "../harness/measure.ts"
import { residentMegabytes } from "./process-facts.ts"

const callers = 20
const streams = 200
const forMs = 30_000

/** 200 event streams and 20 callers for 30 s, against the same callers without streams. */
export async function manyStreams({
  client,
  pid,
  url,
}: ConsoleFixture): Promise<readonly BenchRow[]> {
  const names = Array.from({ length: callers }, (_, index) => `crowd-${index}`)
  // Each has a token of its own: the requests of one are limited.
  const clients = new Map<string, ApiClient>()
  for (const session of names) {
    const made = { name: session, kind: "session", session } as const
    const { secret } = await client.request("tokens.create", made)
    clients.set(session, createClient({ url, token: secret }))
  }
  const call = (session: string) =>
    clients.get(session)?.request("calls.start", { session, tool: "system.info", input: {} })
  const callFor = async (milliseconds: number) => {
    const until = performance.now() + milliseconds
    const times: number[] = []
    const work = async (session: string) => {
      while (performance.now() < until) {
        const started = performance.now()
        await call(session)
        times.push(performance.now() - started)
      }
    }
    await Promise.all(names.map(work))
    return median(times)
  }
  await callFor(5_000)
  const alone = await callFor(10_000)

  const ended = new AbortController()
  const heads = async () => {
    const shown = names.map((session) => client.request("sessions.show", { session }))
    return (await Promise.all(shown)).map(({ session }) => session.head)
  }
  const after = await heads()
  const received = Array.from({ length: streams }, () => 0)
  let wrong = 0
  const follow = async (stream: number) => {
    const session = names[stream % callers] ?? ""
    let last = after[stream % callers] ?? 0
    const given = { session, after: last }
    for await (const { event, id = 0 } of client.watch("entries.watch", given, ended)) {
      if (event !== "entry") continue
      if (id !== last + 1) wrong += 1
      last = id
      received[stream] = id
    }
  }
  const following = received.map((_, stream) => follow(stream))
  const half = await callFor(forMs / 2)
  const middle = residentMegabytes(pid)
  const rest = await callFor(forMs / 2)
  const expected = await heads()
  const isBehind = () => received.some((id, stream) => id < (expected[stream % callers] ?? 0))
  for (let left = 100; left > 0 && isBehind(); left -= 1) await wait(100)
  const lost = received.filter((id, stream) => id < (expected[stream % callers] ?? 0)).length
  const memory = residentMegabytes(pid) / middle
  ended.abort()
  await Promise.all(following)
  return [
    {
      id: "streams-lost",
      what: "200 streams and 20 callers for 30 s: streams with an entry missing, doubled or late",
      ...{ value: wrong + lost, bar: 0, aim: 0, better: "lower" },
    },
    {
      id: "streams-calls",
      what: "the same: the median time of a call, against the same without streams",
      ...{ value: Math.max(half, rest) / alone, bar: 1.3, aim: 1.1, better: "lower" },
    },
    {
      id: "streams-memory",
      what: "the same: the server's memory at the end, against half way",
      ...{ value: memory, bar: 1.25, aim: 1.1, better: "lower" },
    },
  ]
}
