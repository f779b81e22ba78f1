import { type ReadonlySignal, signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../../src/api/index.ts"
import { client, page } from "../../state/client.ts"
import { sessions } from "../../state/sessions.ts"

export type ModelFacts = RouteAnswer<"runs.model">
export type RunFacts = RouteAnswer<"runs.show">

const known = signal<ModelFacts | null>(null)

/** The model that can be asked; null until the server has said. A server keeps its model for as long as it runs. */
export function useModel(): ModelFacts | null {
  useEffect(() => {
    client()
      .request("runs.model", {})
      .then((facts) => {
        known.value = facts
      })
      // The next view asks again.
      .catch(() => {})
  }, [])
  return known.value
}

const lookAgainMs = 300

export interface WatchedRun {
  readonly facts: ReadonlySignal<RunFacts>
  readonly look: () => Promise<void>
}

/** Whether the model works in a session. It is asked again when the session's state changes, and when the server is back. */
export function useRun(session: string): WatchedRun {
  const facts = useSignal<RunFacts>({ run: "none", problem: null })
  const state = sessions.value.find(({ name }) => name === session)?.state
  const look = async () => {
    facts.value = await client().request("runs.show", { session })
  }
  useEffect(() => void look().catch(() => {}), [session, state, page.value.kind])
  // The record says that a run is over a moment before the server has left it, and that it began a moment after.
  const isUnsettled = state === "idle" && facts.value.run !== "none"
  useEffect(() => {
    if (!isUnsettled) return
    const timer = setInterval(() => void look().catch(() => {}), lookAgainMs)
    return () => clearInterval(timer)
  }, [session, isUnsettled])
  return { facts, look }
}
