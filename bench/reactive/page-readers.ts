/** A process of its own with many pages: each sends an event each second, and waits for the change that comes of it. */
import { Agent, get, request } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import { handlerOf } from "../../test/console/pattern-messages.ts"
import type { PageServer } from "./page-server.ts"

export interface PagesOptions extends PageServer {
  readonly pages: number
  readonly forMs: number
}

export interface PagesReport {
  /** From an event to its change, of all pages. */
  readonly lateMs: readonly number[]
  readonly sent: number
  /** Updates that were missing, doubled or not the next one, events that were refused, and streams that ended. */
  readonly wrong: number
}

const everyMs = 1_000
/** How long a change may still take when no more events are sent. */
const catchUpMs = 10_000

async function work({ url, tokens, pages, forMs }: PagesOptions): Promise<PagesReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const authorizationOf = (index: number) => `Bearer ${tokens[index % tokens.length]}`
  const lateMs: number[] = []
  let [sent, wrong] = [0, 0]

  /** The page as it is now, and then each change: with the number of its message, and what the page counts. */
  function follow(index: number, take: (id: number, event: string, data: string) => void) {
    const address = new URL(`/api/patterns/page-${index}/events`, url)
    const headers = { authorization: authorizationOf(index) }
    const asked = get(address, { agent: false, headers }, (response) => {
      if (response.statusCode !== 200) wrong += 1
      let rest = ""
      response.setEncoding("utf8").on("data", (text: string) => {
        const events = (rest + text).split("\n\n")
        rest = events.pop() ?? ""
        for (const one of events) {
          const [, event = "", id, data = ""] =
            /^event: (\w+)\nid: (\d+)\ndata: (.*)$/.exec(one) ?? []
          if (id !== undefined) take(Number(id), event, data)
        }
      })
    })
    asked.on("error", () => {})
    return asked
  }

  function send(index: number, handler: string): void {
    sent += 1
    const address = new URL(`/api/patterns/page-${index}/events`, url)
    const headers = { authorization: authorizationOf(index), "content-type": "application/json" }
    const asked = request(address, { method: "POST", agent, headers }, (response) => {
      if (response.statusCode !== 200) wrong += 1
      response.resume()
    })
    asked.on("error", () => (wrong += 1))
    asked.end(JSON.stringify({ handler, event: {} }))
  }

  async function page(index: number): Promise<void> {
    const opened = Promise.withResolvers<string>()
    const sentAt: number[] = []
    let [last, count, isEnding] = [0, 0, false]
    const stream = follow(index, (id, event, data) => {
      const now = performance.now()
      const shown = Number(/\["(\d+)"\]/.exec(data)?.[1])
      if (event === "page") {
        ;[last, count] = [id, shown]
        opened.resolve(handlerOf(JSON.parse(data), "button", "onclick"))
        return
      }
      const [first] = sentAt.splice(0, 1)
      if (id !== last + 1 || shown !== count + 1 || first === undefined) wrong += 1
      else lateMs.push(now - first)
      ;[last, count] = [id, shown]
    })
    stream.on("close", () => {
      if (!isEnding) wrong += 1
    })
    const handler = await opened.promise
    // Spread over the second, as people are, and not closer together whenever one of them is late.
    const start = performance.now() + (index * everyMs) / pages
    for (let time = start; time < start + forMs; time += everyMs) {
      await wait(Math.max(0, time - performance.now()))
      sentAt.push(performance.now())
      send(index, handler)
    }
    for (let left = catchUpMs; left > 0 && sentAt.length > 0; left -= 100) await wait(100)
    // One more second for what could still come twice.
    await wait(everyMs)
    isEnding = true
    stream.destroy()
  }

  await Promise.all(Array.from({ length: pages }, (_, index) => page(index)))
  agent.destroy()
  return { lateMs, sent, wrong }
}

process.on("message", async (options: PagesOptions) => process.send?.(await work(options)))
process.on("disconnect", () => process.exit())
