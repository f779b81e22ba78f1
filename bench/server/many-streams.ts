import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { type ApiClient, createClient } from "../../src/api/index.ts"
import type { ConsoleFixture } from "../../test/console/console-fixture.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { median } from "../harness/measure.ts"
import { residentMegabytes } from "./process-facts.ts"
import type { ReaderOptions, ReaderReport } from "./stream-readers.ts"

const callers = 20
const streams = 200
const forMs = 30_000
/** How long a stream may be behind when nothing happens any more. */
const catchUpMs = 10_000

/** 200 event streams, ten of each session, and 20 callers for 30 s, against the same callers without streams. */
export async function manyStreams({
  client,
  pid,
  url,
  token,
}: ConsoleFixture): Promise<readonly BenchRow[]> {
  const names = Array.from({ length: callers }, (_, index) => `crowd-${index}`)
  const callFor = await openCallers(names, { client, url })
  await callFor(5_000)
  const before = await callFor(10_000)

  const heads = async () => {
    const shown = names.map((session) => client.request("sessions.show", { session }))
    return (await Promise.all(shown)).map(({ session }) => session.head)
  }
  const after = await heads()
  const followed = Array.from({ length: streams }, (_, stream) => {
    const of = stream % callers
    return { session: names[of] ?? "", after: after[of] ?? 0 }
  })
  const readers = openReaders({ url, token, streams: followed })
  const halfWay = wait(forMs / 2).then(() => residentMegabytes(pid))
  const together = await callFor(forMs)
  const expected = await heads()
  const behind = ({ last }: ReaderReport) =>
    last.filter((id, stream) => id < (expected[stream % callers] ?? 0)).length
  let report = await readers.report()
  for (const since = performance.now(); behind(report) > 0; report = await readers.report()) {
    if (performance.now() - since > catchUpMs) break
    await wait(100)
  }
  const memory = residentMegabytes(pid) / (await halfWay)
  readers.close()
  // Before and after, so that what else the machine does meanwhile counts less.
  const alone = (before + (await callFor(10_000))) / 2
  return [
    {
      id: "streams-lost",
      what: "200 streams and 20 callers for 30 s: streams with an entry missing, doubled or late",
      ...{ value: report.wrong + behind(report), bar: 0, aim: 0, better: "lower" },
    },
    {
      id: "streams-calls",
      what: "the same: the median time of a call, against the same without streams",
      ...{ value: together / alone, bar: 1.3, aim: 1.1, better: "lower" },
    },
    {
      id: "streams-memory",
      what: "the same: the server's memory at the end, against half way",
      ...{ value: memory, bar: 1.25, aim: 1.1, better: "lower" },
    },
  ]
}

/** Each calls in a session of its own, one call after the other; answers with the median time of a call. */
async function openCallers(
  names: readonly string[],
  { client, url }: Pick<ConsoleFixture, "client" | "url">,
): Promise<(milliseconds: number) => Promise<number>> {
  // Each has a token of its own: the requests of one are limited.
  const clients = new Map<string, ApiClient>()
  for (const session of names) {
    const made = { name: session, kind: "session", session } as const
    const { secret } = await client.request("tokens.create", made)
    clients.set(session, createClient({ url, token: secret }))
  }
  return async (milliseconds) => {
    const until = performance.now() + milliseconds
    const times: number[] = []
    const work = async ([session, caller]: [string, ApiClient]) => {
      while (performance.now() < until) {
        const started = performance.now()
        await caller.request("calls.start", { session, tool: "system.info", input: {} })
        times.push(performance.now() - started)
      }
    }
    await Promise.all([...clients].map(work))
    return median(times)
  }
}

function openReaders(options: ReaderOptions) {
  const child = fork(join(import.meta.dirname, "stream-readers.ts"))
  child.send(options)
  return {
    async report(): Promise<ReaderReport> {
      child.send("report")
      const [report] = await once(child, "message")
      return report
    },
    close: () => child.disconnect(),
  }
}
