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
const shownCharacters = 2_000

/** Keeps `running` up to date until the returned function is called: a stream for each session would be too many. */
export function watchRunning(): () => void {
  const ended = new AbortController()
  const heads = new Map<string, number>()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function look(changed: readonly string[]): Promise<void> {
    const names = new Set([...changed, ...running.peek().map(({ session }) => session)])
    const found: RunningCall[] = []
    for (const session of names) found.push(...(await readRunning(session, ended.signal)))
    if (ended.signal.aborted) return
    running.value = found.toSorted((one, two) => one.startedMs - two.startedMs)
    clearTimeout(timer)
    if (found.length > 0) timer = setTimeout(() => again([]), lookMs)
  }
  const again = (changed: readonly string[]) => {
    if (document.hidden) timer = setTimeout(() => again(changed), lookMs)
    // What can't be read now is read with the next change.
    else look(changed).catch(() => {})
  }
  const stop = effect(() => {
    const changed = openSessions(sessions.value).filter(
      ({ name, head }) => heads.get(name) !== head,
    )
    for (const { name, head } of changed) heads.set(name, head)
    if (changed.length > 0) again(changed.map(({ name }) => name))
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
      const { head, tail } = await client().request("calls.output", { session, call }, { signal })
      return { session, call, tool, startedMs, tail: (head + tail).slice(-shownCharacters) }
    }),
  )
}
