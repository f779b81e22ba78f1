import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { openRecord, type SessionRecord } from "./record.ts"

/** The record of a session, from when there is one. */
export function useRecord(session: string, isThere: boolean): SessionRecord | null {
  const record = useSignal<SessionRecord | null>(null)
  useEffect(() => {
    if (!isThere) return
    const opened = openRecord(session)
    record.value = opened
    return () => opened.close()
  }, [session, isThere])
  return record.value
}
