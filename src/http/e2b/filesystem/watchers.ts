import { createId } from "../../../kit/index.ts"
import { httpLimits } from "../../limits.ts"
import { ConnectError, connectErrorFrom } from "../connect/connect-error.ts"
import {
  type FilesystemEvent,
  type WatchDeps,
  type WatchRequest,
  watchDirectory,
} from "./watch-directory.ts"

/** Watches whose events wait until a client asks for them. */
export interface Watchers {
  create(deps: Pick<WatchDeps, "beside" | "sandbox">, request: WatchRequest): Promise<string>
  /** What happened since the last time. */
  take(sandbox: string, id: string): readonly FilesystemEvent[]
  remove(sandbox: string, id: string): void
  /** Those of a sandbox that is gone. */
  forget(sandbox: string): void
}

interface Watcher {
  readonly sandbox: string
  readonly stopping: AbortController
  events: FilesystemEvent[]
  /** Why it tells nothing more. */
  problem: ConnectError | null
}

/** A watch ends with its watcher, with its sandbox, or with the server. */
export function createWatchers(stopped: AbortSignal): Watchers {
  const watchers = new Map<string, Watcher>()
  function find(sandbox: string, id: string): Watcher {
    const found = watchers.get(id)
    if (found?.sandbox === sandbox) return found
    throw new ConnectError("not_found", `There is no watcher ${JSON.stringify(id.slice(0, 60))}.`)
  }
  return {
    async create({ beside, sandbox }, request) {
      const { id: name } = sandbox.stored
      const own = [...watchers.values()].filter((one) => one.sandbox === name)
      if (own.length >= httpLimits.e2bWatchers) {
        const message = `A sandbox can have ${httpLimits.e2bWatchers} watchers. Remove one first.`
        throw new ConnectError("resource_exhausted", message)
      }
      const id = createId("watcher")
      const stopping = new AbortController()
      const watcher: Watcher = { sandbox: name, stopping, events: [], problem: null }
      const signal = AbortSignal.any([stopping.signal, stopped])
      watchers.set(id, watcher)
      const { ended } = await watchDirectory(
        {
          ...{ beside, sandbox, signal },
          onEvents(events) {
            // Of those that nobody asks for, the last.
            watcher.events = [...watcher.events, ...events].slice(-httpLimits.e2bWatcherEvents)
          },
        },
        request,
      ).catch((error: unknown) => {
        watchers.delete(id)
        throw error
      })
      ended.catch((error: unknown) => {
        watcher.problem = connectErrorFrom(error)
      })
      return id
    },
    take(sandbox, id) {
      const watcher = find(sandbox, id)
      const { events } = watcher
      watcher.events = []
      if (events.length === 0 && watcher.problem) {
        watchers.delete(id)
        throw watcher.problem
      }
      return events
    },
    remove(sandbox, id) {
      find(sandbox, id).stopping.abort()
      watchers.delete(id)
    },
    forget(sandbox) {
      for (const [id, one] of watchers) if (one.sandbox === sandbox) watchers.delete(id)
    },
  }
}
