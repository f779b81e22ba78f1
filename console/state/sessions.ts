import { computed, signal } from "@preact/signals"
import type { RouteAnswer } from "../../src/api/index.ts"
import { watch } from "./watch.ts"

export type SessionFacts = RouteAnswer<"sessions.list">["sessions"][number]

const known = signal<ReadonlyMap<string, SessionFacts>>(new Map())

/** All sessions, the latest first. */
export const sessions = computed(() =>
  [...known.value.values()].sort((one, two) => two.updated_ms - one.updated_ms),
)

export function watchSessions(): () => void {
  return watch(
    "sessions.watch",
    () => ({}),
    ({ event, data }) => {
      const next = new Map(known.value)
      if (event === "session") next.set((data as SessionFacts).name, data as SessionFacts)
      if (event === "deleted") next.delete((data as Pick<SessionFacts, "name">).name)
      known.value = next
    },
  )
}
