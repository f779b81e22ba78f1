import { effect, type ReadonlySignal, type Signal, signal } from "@preact/signals"
import type { Card } from "../../model/card.ts"
import { client } from "../../state/client.ts"

/** What is shown of what a call had printed. */
const shownBytes = 16_384
/** No fewer are read at once. */
const fewestBytes = 4

export interface PastOutput {
  /** The end of what a call had printed at the entry that is shown, by its card. */
  readonly of: (card: ReadonlySignal<Card>) => ReadonlySignal<string>
  readonly close: () => void
}

/** The record says how much calls had printed when, and what they printed is read by range. */
export function createPastOutput(session: string): PastOutput {
  const shown = new WeakMap<ReadonlySignal<Card>, Signal<string>>()
  const closed = new AbortController()
  const stops: (() => void)[] = []

  async function read(card: ReadonlySignal<Card>, text: Signal<string>): Promise<void> {
    const printed = printedOf(card.peek())
    const from = Math.max(0, printed - shownBytes)
    const range = {
      session,
      call: card.peek().id,
      from,
      bytes: Math.max(fewestBytes, printed - from),
    }
    const part = await client().request("calls.output", range, closed)
    // Another entry may be shown by now.
    if (printedOf(card.peek()) !== printed) return
    const bytes = new TextEncoder().encode(part.text).subarray(0, Math.max(0, printed - part.from))
    text.value = new TextDecoder().decode(bytes)
  }
  return {
    of(card) {
      const known = shown.get(card)
      if (known) return known
      const text = signal("")
      shown.set(card, text)
      stops.push(
        effect(() => {
          if (printedOf(card.value) === 0) text.value = ""
          // What can't be read now is not shown.
          else void read(card, text).catch(() => {})
        }),
      )
      return text
    },
    close() {
      closed.abort()
      for (const stop of stops) stop()
    },
  }
}

/** Of a call that has ended, the card shows the answer. */
function printedOf(card: Card): number {
  return card.kind === "call" && card.end === null ? card.printed : 0
}
