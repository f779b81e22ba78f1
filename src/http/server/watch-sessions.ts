import type { RecordedSession } from "../../store/index.ts"
import { httpLimits } from "../limits.ts"
import { describeSessions } from "./describe-session.ts"
import type { ApiDeps, ServerEvent } from "./handler.ts"
import { onChange } from "./on-change.ts"

/** Each session as it is now, then again whenever it has changed. What a client has missed is in what it gets next. */
export async function* watchSessions(
  deps: ApiDeps,
  signal: AbortSignal,
): AsyncIterable<ServerEvent> {
  const { store, clock } = deps
  let known = new Map<string, string>()
  /** The record may be written by other processes, so it is looked at now and then. */
  const everySoOften = (changed: () => void) => {
    let cancel = () => {}
    const again = () => {
      cancel = clock.after(httpLimits.lookMs, () => {
        changed()
        again()
      })
    }
    again()
    return () => cancel()
  }
  for await (const _ of onChange(everySoOften, signal)) {
    const sessions = await store.sessions()
    const now = new Map<string, string>()
    const changed: RecordedSession[] = []
    for (const session of sessions) {
      const version = JSON.stringify([session.state, session.head, session.owner])
      now.set(session.name, version)
      if (known.get(session.name) !== version) changed.push(session)
    }
    const described = changed.length === 0 ? [] : await describeSessions(deps, changed)
    for (const session of described) yield { event: "session", data: session }
    for (const name of known.keys()) {
      if (!now.has(name) && !(await store.read(name))) yield { event: "deleted", data: { name } }
    }
    known = now
  }
}
