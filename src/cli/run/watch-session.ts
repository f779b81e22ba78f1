import type { CallEvent, RunningCall } from "../../runtime/index.ts"
import type { Session } from "../../session/index.ts"

/** A call of a run or of one of its tasks, while it runs. */
export interface WatchedCall {
  readonly running: RunningCall
  readonly tool: string
}

export interface CallWatcher {
  /** What happens to a call, and how many tasks deep it is. */
  readonly onEvent: (event: CallEvent, at: { session: Session; depth: number }) => void
  readonly onStart: (call: WatchedCall) => void
}

/** The same session; its calls, and those of its children, are watched. */
export function watchSession(session: Session, watcher: CallWatcher, depth = 0): Session {
  session.listen((event) => {
    if ("callId" in event) watcher.onEvent(event, { session, depth })
  })
  return {
    ...session,
    start(tool, input, options) {
      const running = session.start(tool, input, options)
      watcher.onStart({ running, tool })
      return running
    },
    child: (options) => watchSession(session.child(options), watcher, depth + 1),
  }
}
