import { useComputed, useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { callState, stateText } from "../../model/call-state.ts"
import { type CallCard, cardFrom } from "../../model/card.ts"
import { ShownJson, ShownText } from "../../parts/text/shown-text.tsx"
import { Clock, duration } from "../../parts/time.tsx"
import { findCall, type SessionRecord } from "../../state/record/record.ts"
import { Result } from "../result.tsx"
import { Allowed } from "./allowed.tsx"
import { Did } from "./did.tsx"
import { Received } from "./received.tsx"
import { Stages } from "./stages.tsx"
import { Where } from "./where.tsx"

interface ReceiptProps {
  readonly session: string
  readonly call: string
  readonly record: SessionRecord
}

/** All that is known of one call: sent, allowed, where, did, answer. */
export function Receipt({ session, call: id, record }: ReceiptProps) {
  /** Read apart, where the call is not among the loaded cards. */
  const found = useSignal<CallCard | "looking" | "missing">("looking")
  const loaded = useComputed(() => {
    void record.ids.value
    const card = record.card(id)?.value
    return card?.kind === "call" && card.isWhole ? card : null
  })
  const isLoaded = loaded.value !== null
  useEffect(() => {
    if (isLoaded || record.state.peek().kind === "loading") return
    const ended = new AbortController()
    const look = async () => {
      const entries = await findCall(session, id, ended.signal)
      const card = entries.length > 0 ? cardFrom(id, entries) : null
      found.value = card?.kind === "call" ? card : "missing"
    }
    look().catch(() => {
      if (!ended.signal.aborted) found.value = "missing"
    })
    return () => ended.abort()
  }, [session, id, isLoaded, record.state.value.kind])
  const call = loaded.value ?? found.value
  return (
    <aside class="receipt" aria-label="Receipt">
      <header>
        <h2>Receipt</h2>
        <a href={`/s/${encodeURIComponent(session)}`}>Close</a>
      </header>
      {call === "looking" && <p aria-busy="true">Looking for the call</p>}
      {call === "missing" && <p role="alert">This session has no such call.</p>}
      {typeof call === "object" && <Parts call={call} session={session} />}
    </aside>
  )
}

function Parts({ call, session }: { readonly call: CallCard; readonly session: string }) {
  const { tool, startedMs, end } = call
  return (
    <>
      <p>
        <strong>{tool}</strong> {stateText(callState(call))} <Clock ms={startedMs} />{" "}
        {end && <span class="quiet">{duration(end.durationMs)}</span>}
      </p>
      <Part title="Sent">
        <Sent call={call} />
      </Part>
      <Part title="Allowed">
        <Allowed call={call} />
        <Stages call={call} session={session} />
      </Part>
      <Part title="Where">
        <Where call={call} session={session} />
      </Part>
      <Part title="Did">
        <Did call={call} session={session} />
      </Part>
      <Part title="Answer">
        {end ? (
          <>
            <Result
              envelope={end.envelope}
              sent={call.checked ?? call.sent}
              {...{ session, call: call.id }}
            />
            <details>
              <summary>As JSON</summary>
              <ShownJson value={end.envelope} />
            </details>
            <Received call={call.id} session={session} />
          </>
        ) : (
          <p class="quiet">None yet.</p>
        )}
      </Part>
    </>
  )
}

interface PartProps {
  readonly title: string
  readonly children: ComponentChildren
}

function Part({ title, children }: PartProps) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  )
}

/** What was sent against what runs. */
function Sent({ call: { sent, checked, repairs, asked } }: { readonly call: CallCard }) {
  const edited = asked.findLast(({ answer }) => answer?.kind === "edited")?.answer
  if (checked === undefined) {
    return (
      <>
        <p class="quiet">Runs as sent.</p>
        <ShownJson value={sent} />
      </>
    )
  }
  return (
    <>
      <div class="both">
        <div>
          <p class="quiet">Sent</p>
          <ShownJson value={sent} />
        </div>
        <div>
          <p class="quiet">{edited ? `Edited by ${edited.by ?? "a person"}` : "Run"}</p>
          <ShownJson value={checked} />
        </div>
      </div>
      <ul class="warnings">
        {repairs.map((repair, index) => (
          <li key={index}>
            <ShownText text={repair} />
          </li>
        ))}
      </ul>
    </>
  )
}
