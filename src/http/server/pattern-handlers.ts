import type { PatternRoute } from "../../api/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import { createEventOrder } from "../patterns/event-order.ts"
import type { PatternPage } from "../patterns/pattern-page.ts"
import type { ApiDeps, Handlers } from "./handler.ts"

export function patternHandlers({ patterns, clock }: ApiDeps): Handlers<PatternRoute> {
  const order = createEventOrder(clock)
  const find = (address: string): PatternPage => {
    const page = patterns.find(address)
    if (page) return page
    const message = `No pattern ${JSON.stringify(address)} runs here.`
    throw new ToolFailure({ kind: "not_found", message, field: "pattern" })
  }
  return {
    async "patterns.list"() {
      const described = patterns.list().map(({ address, name, file, session, problem }) => ({
        ...{ pattern: address, name, file, session, problem: problem?.message ?? null },
      }))
      return { patterns: described }
    },
    "patterns.watch": async ({ pattern }, { signal, lastEventId }) =>
      find(pattern).watch(lastEventId, signal),
    async "patterns.send"({ pattern, handler, event, page, number, after }) {
      if (page === undefined || number === undefined) return find(pattern).send(handler, event)
      const place = { page, number, after }
      await order.turn(place)
      const sent = find(pattern).send(handler, event)
      order.begun(place)
      return sent
    },
  }
}
