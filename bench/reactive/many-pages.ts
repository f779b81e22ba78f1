import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { BenchRow } from "../harness/bench-row.ts"
import { median } from "../harness/measure.ts"
import { residentMegabytes } from "../server/process-facts.ts"
import type { PagesOptions, PagesReport } from "./page-readers.ts"
import type { PageServer } from "./page-server.ts"

const pages = 500
const forMs = 60_000
const aloneMs = 20_000

/** 500 pages, each with its own pattern and one change a second, for 60 s, against one page. */
export async function manyPages(): Promise<readonly BenchRow[]> {
  const server = fork(join(import.meta.dirname, "page-server.ts"), [String(pages)])
  const readers = fork(join(import.meta.dirname, "page-readers.ts"))
  try {
    const at: PageServer = await answerOf(server)
    const workFor = async (options: Pick<PagesOptions, "pages" | "forMs">) => {
      readers.send({ ...at, ...options })
      return answerOf<PagesReport>(readers)
    }
    await workFor({ pages, forMs: 5_000 })
    const before = await workFor({ pages: 1, forMs: aloneMs })
    const memory = () => residentMegabytes(server.pid ?? 0)
    const halfWay = wait(forMs / 2).then(memory)
    const together = await workFor({ pages, forMs })
    const level = memory() / (await halfWay)
    // Before and after, so that what else the machine does meanwhile counts less.
    const after = await workFor({ pages: 1, forMs: aloneMs })
    const alone = median([...before.lateMs, ...after.lateMs])
    const missing = together.sent - together.lateMs.length
    return [
      {
        id: "pages-lost",
        what: "500 pages, one change a second each, 60 s: updates that were missed, doubled or refused",
        ...{ value: together.wrong + missing, bar: 0, aim: 0, better: "lower" },
      },
      {
        id: "pages-late",
        what: "the same: the median time from an event to its change, against one page",
        ...{ value: median(together.lateMs) / alone, bar: 2, aim: 1.2, better: "lower" },
      },
      {
        id: "pages-memory",
        what: "the same: the server's memory at the end, against half way",
        ...{ value: level, bar: 1.25, aim: 1.1, better: "lower" },
      },
    ]
  } finally {
    for (const child of [server, readers]) {
      const ended = once(child, "exit")
      child.disconnect()
      await ended
    }
  }
}

async function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  const [answer] = await once(child, "message")
  return answer
}
