import { ToolFailure } from "../../contract/index.ts"
import type { RecordStore } from "../../store/index.ts"
import type { VisibleSessions } from "../../tools/index.ts"
import { deleteSession } from "./delete-session.ts"
import { familyOf, noSuchSession } from "./find-session.ts"

export interface VisibleOptions {
  readonly open: () => Promise<RecordStore>
  readonly home: string
  /** The session that looks. */
  readonly session: string
  /** Whether it belongs to one of several people, such as a server's token: then it sees itself and its children. */
  readonly isPrivate: boolean
}

/** What a session sees of all that are recorded. */
export function visibleSessions(options: VisibleOptions): VisibleSessions {
  const { open, home, session: own, isPrivate } = options
  return {
    async list(limit) {
      const store = await open()
      return isPrivate ? (await familyOf(store, own)).slice(0, limit) : store.sessions({ limit })
    },
    async delete(name) {
      if (name === own) throw notItself()
      const store = await open()
      const isSeen = async () => (await familyOf(store, own)).some((one) => one.name === name)
      const deleted = isPrivate && !(await isSeen()) ? [] : await deleteSession(store, home, name)
      if (deleted.length > 0) return deleted
      // Not even the name of what it may not see is shown.
      throw await noSuchSession(isPrivate ? null : store, name)
    },
  }
}

function notItself(): ToolFailure {
  return new ToolFailure({
    kind: "rejected",
    message: "A session can't delete itself while it is open.",
    field: "session",
  })
}
