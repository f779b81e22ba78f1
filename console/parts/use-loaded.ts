import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { failureText } from "./action.tsx"

export interface Loaded<Value> {
  /** What was read last; null until something was. */
  readonly value: Value | null
  /** Why the last try failed. */
  readonly problem: string | null
  /** Reads it again. */
  readonly load: () => Promise<void>
}

/** What the server answers, read again when one of `when` changes: an answer that comes late never replaces a newer one. */
export function useLoaded<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  when: readonly unknown[],
): Loaded<Value> {
  const loaded = useSignal<Omit<Loaded<Value>, "load">>({ value: null, problem: null })
  const reading = useRef(new AbortController())
  const latest = useRef(read)
  latest.current = read
  const load = async () => {
    reading.current.abort()
    const ended = new AbortController()
    reading.current = ended
    try {
      const value = await latest.current(ended.signal)
      if (!ended.signal.aborted) loaded.value = { value, problem: null }
    } catch (error) {
      if (ended.signal.aborted) return
      loaded.value = { ...loaded.peek(), problem: failureText(error) }
    }
  }
  useEffect(() => {
    void load()
    return () => reading.current.abort()
  }, when)
  return { ...loaded.value, load }
}
