import { effect, signal } from "@preact/signals"
import type { RouteAnswer } from "../../src/api/index.ts"
import { client } from "./client.ts"
import { type SessionFacts, sessions } from "./sessions.ts"

/** A call that runs, with the end of what it has printed. */
export interface RunningCall {
  readonly session: string
  readonly call: string
  readonly tool: string
  readonly startedMs: number
  readonly tail: string
}

export const running = signal<readonly RunningCall[]>([])

/** How often what runs is looked at again. Nothing is asked while nothing runs. */
const lookMs = 2_000
/** Of what runs, this much is looked at. */
const mostSessions = 20
const shownBytes = 2_000

/** Keeps `running` up to date until the returned function is called: a stream for each session would be too many. */
export function watchRunning(): () => void {
  const ended = new AbortController()
  const heads = new Map<string, number>()
  /** Sessions in which something has happened since they were read. */
  const changed = new Set<string>()
  let isLooking = false
  let timer: ReturnType<typeof setTimeout> | undefined

  /** One after the other: an answer that comes late must not take the place of a newer one. */
  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    clearTimeout(timer)
    try {
      do await readAll()
      while (changed.size > 0 && !document.hidden)
    } catch {
      // What can't be read now is read with the next change, or in a while.
    } finally {
      isLooking = false
    }
    if (ended.signal.aborted) return
    if (running.peek().length > 0 || changed.size > 0) timer = setTimeout(look, lookMs)
  }
  async function readAll(): Promise<void> {
    if (document.hidden) return
    const names = new Set([...changed, ...running.peek().map(({ session }) => session)])
    const found: RunningCall[] = []
    for (const session of names) {
      changed.delete(session)
      const calls = await readRunning(session, ended.signal).catch((error: unknown) => {
        changed.add(session)
        throw error
      })
      found.push(...calls)
    }
    ended.signal.throwIfAborted()
    running.value = found.toSorted((one, two) => one.startedMs - two.startedMs)
  }
  const stop = effect(() => {
    for (const { name, head } of openSessions(sessions.value)) {
      if (heads.get(name) !== head) changed.add(name)
      heads.set(name, head)
    }
    if (changed.size > 0) void look()
  })
  return () => {
    stop()
    ended.abort()
    clearTimeout(timer)
    running.value = []
  }
}

function openSessions(all: readonly SessionFacts[]): readonly SessionFacts[] {
  return all.filter(({ is_open }) => is_open).slice(0, mostSessions)
}

async function readRunning(session: string, signal: AbortSignal): Promise<readonly RunningCall[]> {
  const shown: RouteAnswer<"sessions.show"> = await client().request(
    "sessions.show",
    { session },
    { signal },
  )
  return Promise.all(
    shown.running.map(async ({ call, tool, started_ms: startedMs }) => {
      const range = { session, call, from: -shownBytes }
      const { text: tail } = await client().request("calls.output", range, { signal })
      return { session, call, tool, startedMs, tail }
    }),
  )
}
