import { type Signal, signal } from "@preact/signals"
import { type CardFilter, noFilter } from "../model/card-filter.ts"
import type { ListPlace } from "../parts/virtual-list.tsx"

/** How a person reads one session: it is as they left it when they come back. */
export interface Reading {
  readonly filter: Signal<CardFilter>
  readonly place: Signal<ListPlace>
  /** The last card that was on screen while the reader was at the end. */
  readonly lastSeen: Signal<string | null>
}

const readings = new Map<string, Reading>()
const mostReadings = 50

export function readingOf(session: string): Reading {
  const known = readings.get(session)
  if (known) return known
  const made: Reading = {
    filter: signal(noFilter),
    place: signal({ isAtEnd: true, first: null }),
    lastSeen: signal<string | null>(null),
  }
  readings.set(session, made)
  const [oldest] = readings.keys()
  if (readings.size > mostReadings && oldest !== undefined) readings.delete(oldest)
  return made
}
