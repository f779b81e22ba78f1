import type { RecordedSession } from "../../store/index.ts"
import { onChange } from "../events/on-change.ts"
import type { ServerEvent } from "../events/server-event.ts"
import { httpLimits } from "../limits.ts"
import { describeSessions } from "./describe-session.ts"
import type { ApiDeps } from "./handler.ts"

/** The streams of sessions, which look at the record together. */
export function createSessionWatch(deps: ApiDeps) {
  const look = createLook(deps)
  return {
    /** Each session as it is now, then again whenever it has changed. What a client has missed is in what it gets next. */
    async *watch(signal: AbortSignal): AsyncIterable<ServerEvent> {
      let known = new Map<string, string>()
      for await (const _ of onChange(look.watch, signal)) {
        const now = new Map<string, string>()
        const changed: RecordedSession[] = []
        for (const session of await look.sessions()) {
          const version = JSON.stringify([session.state, session.head, session.owner])
          now.set(session.name, version)
          if (known.get(session.name) !== version) changed.push(session)
        }
        const described = changed.length === 0 ? [] : await describeSessions(deps, changed)
        for (const session of described) yield { event: "session", data: session }
        for (const name of known.keys()) {
          const isGone = !now.has(name) && !(await deps.store.read(name))
          if (isGone) yield { event: "deleted", data: { name } }
        }
        known = now
      }
    },
  }
}

/** The record may be written by other processes, so it is looked at now and then: once for all who watch. */
function createLook({ store, clock }: ApiDeps) {
  const watchers = new Set<() => void>()
  let listed: Promise<readonly RecordedSession[]> | null = null
  let cancel = () => {}
  const lookLater = () => {
    cancel = clock.after(httpLimits.lookMs, () => {
      listed = null
      for (const changed of watchers) changed()
      lookLater()
    })
  }
  return {
    watch(changed: () => void) {
      // Who comes now sees what is there now.
      listed = null
      if (watchers.size === 0) lookLater()
      watchers.add(changed)
      return () => {
        watchers.delete(changed)
        if (watchers.size === 0) cancel()
      }
    },
    sessions() {
      listed ??= store.sessions()
      return listed
    },
  }
}
