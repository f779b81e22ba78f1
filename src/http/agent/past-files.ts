import { findFilesAt } from "../../agent/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import { type Clock, createId } from "../../kit/index.ts"
import { noSuchSession, type Session, type Toolkeep } from "../../session/index.ts"
import type { RecordStore } from "../../store/index.ts"
import { httpLimits } from "../limits.ts"

export interface PastFilesDeps {
  readonly toolkeep: Toolkeep
  readonly store: RecordStore
  readonly clock: Clock
}

/** The files of sessions as they were recorded, at an entry. */
export interface PastFiles {
  show(session: string, entry: number): Promise<PastFilesFacts>
  /** The name of a session that has them, until nobody has looked for a while. It is not recorded. */
  open(session: string, entry: number): Promise<string>
}

interface PastFilesFacts {
  readonly recorded_at: number | null
  readonly why_not: string | null
  readonly sandboxes: string[]
}

interface Opened {
  readonly session: Session
  readonly ready: Promise<void>
  cancel: () => void
}

/** Recorded files are looked at in sandboxes that are restored from them, which copies nothing. */
export function createPastFiles({ toolkeep, store, clock }: PastFilesDeps): PastFiles {
  const opened = new Map<string, Opened>()

  async function find(session: string, entry: number) {
    const reader = await store.read(session)
    if (!reader) throw await noSuchSession(store, session)
    return findFilesAt(reader, entry)
  }
  async function show(session: string, entry: number): Promise<PastFilesFacts> {
    const found = await find(session, entry)
    if (!found) {
      const why = `No files were recorded until entry ${entry}. They are when a run of an agent begins, and after each of its rounds.`
      return { recorded_at: null, why_not: why, sandboxes: [] }
    }
    const { sequence, body } = found
    if (body.kind === "missing") {
      return { recorded_at: sequence, why_not: body.why, sandboxes: [] }
    }
    const { host, sandboxes } = body.checkpoint
    const why =
      host === toolkeep.host.name ? null : `The files are on the host ${host}, not on this one.`
    return { recorded_at: sequence, why_not: why, sandboxes: sandboxes.map(({ name }) => name) }
  }

  function close(key: string): void {
    const one = opened.get(key)
    if (!one) return
    opened.delete(key)
    one.cancel()
    // What can't be removed now is removed when the server stops.
    one.ready.then(() => one.session.destroy()).catch(() => one.session.close().catch(() => {}))
  }
  function keep(key: string, one: Opened): void {
    one.cancel()
    one.cancel = clock.after(httpLimits.pastFilesMs, () => close(key), "idle")
    opened.delete(key)
    opened.set(key, one)
    const [oldest] = opened.keys()
    if (opened.size > httpLimits.pastFiles && oldest !== undefined) close(oldest)
  }

  return {
    show,
    async open(session, entry) {
      const found = await find(session, entry)
      if (found?.body.kind !== "recorded") {
        const { why_not: message } = await show(session, entry)
        throw new ToolFailure({ kind: "not_found", message: message ?? "There are no files." })
      }
      const { checkpoint } = found.body
      const key = JSON.stringify([session, found.sequence])
      const made = opened.get(key) ?? restore()
      keep(key, made)
      await made.ready.catch((error: unknown) => {
        close(key)
        throw error
      })
      return made.session.name

      function restore(): Opened {
        const name = createId("past").replace("_", "-")
        const past = toolkeep.session(name, { durable: false, record: false })
        return { session: past, ready: past.sandboxes.restore(checkpoint), cancel() {} }
      }
    },
  }
}
