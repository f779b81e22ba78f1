import { effect, signal } from "@preact/signals"
import { callState } from "../model/call-state.ts"
import { type CallCard, cardFrom, cardId, type Entry } from "../model/card.ts"
import { client } from "./client.ts"
import { sessions } from "./sessions.ts"

export interface FailedCall {
  readonly session: string
  readonly call: CallCard
}

/** What failed since a person last looked at this page on this device, the latest first. */
export const failures = signal<readonly FailedCall[]>([])

const lookedKey = "toolkeep-looked"
const mostSessions = 20
const mostEntries = 200
const mostFailures = 50

function lookedMs(): number {
  const stored = localStorage.getItem(lookedKey)
  if (stored === null) markLooked()
  return Number(stored ?? Date.now())
}

/** From now on, what has failed so far is old. */
function markLooked(): void {
  localStorage.setItem(lookedKey, String(Date.now()))
}

export function dismissFailures(): void {
  markLooked()
  failures.value = []
}

/** Keeps `failures` up to date until the returned function is called. */
export function watchFailures(): () => void {
  const ended = new AbortController()
  const heads = new Map<string, number>()
  async function look(session: string, after: number): Promise<void> {
    const { entries } = await client().request(
      "entries.list",
      { session, after, limit: mostEntries },
      ended,
    )
    // The person may have seen them while they were read.
    const found = failedOf(entries, lookedMs()).map((call) => ({ session, call }))
    if (found.length === 0 || ended.signal.aborted) return
    const ids = new Set(found.map(({ call }) => call.id))
    const others = failures.peek().filter(({ call }) => !ids.has(call.id))
    failures.value = [...found, ...others]
      .toSorted((one, two) => endOf(two) - endOf(one))
      .slice(0, mostFailures)
  }
  const stop = effect(() => {
    const since = lookedMs()
    const recent = sessions.value.filter(({ updated_ms }) => updated_ms > since)
    for (const { name, head } of recent.slice(0, mostSessions)) {
      const known = heads.get(name) ?? Math.max(0, head - mostEntries)
      if (known >= head) continue
      heads.set(name, head)
      // A call may have begun a few entries before it failed.
      look(name, Math.max(0, known - 10)).catch(() => heads.delete(name))
    }
  })
  return () => {
    stop()
    ended.abort()
    markLooked()
    failures.value = []
  }
}

function endOf({ call }: FailedCall): number {
  return call.end?.atMs ?? 0
}

const bad = new Set(["refused", "invalid", "timed-out", "failed", "interrupted", "exited"])

/** The calls that ended badly after a time. What a person denied or ended is known to that person. */
function failedOf(entries: readonly Entry[], sinceMs: number): readonly CallCard[] {
  const byCall = Map.groupBy(entries, (entry) => cardId(entry) ?? "")
  return [...byCall].flatMap(([id, own]) => {
    const card = cardFrom(id, own)
    const isNew = card.kind === "call" && (card.end?.atMs ?? 0) > sinceMs
    return isNew && bad.has(callState(card).kind) ? [card] : []
  })
}
