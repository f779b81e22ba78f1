import type { ReadonlySignal } from "@preact/signals"
import type { CallCard, Card } from "../model/card.ts"
import { Action } from "../parts/action.tsx"
import { ShownJson, ShownText } from "../parts/shown-text.tsx"
import { Clock, duration } from "../parts/time.tsx"
import { client } from "../state/client.ts"

interface CardProps {
  readonly card: ReadonlySignal<Card>
  readonly output: ReadonlySignal<string>
  readonly session: string
}

export function CardView({ card, output, session }: CardProps) {
  const shown = card.value
  switch (shown.kind) {
    case "call":
      return <Call call={shown} output={output} session={session} />
    case "message":
      return (
        <article class="card message">
          <header>{shown.role}</header>
          <p>
            <ShownText text={shown.text} />
          </p>
        </article>
      )
    case "note":
      return <p class="quiet">{shown.about}</p>
    default:
      return shown satisfies never
  }
}

interface CallProps {
  readonly call: CallCard
  readonly output: ReadonlySignal<string>
  readonly session: string
}

function Call({ call, output, session }: CallProps) {
  const { id, tool, sent, startedMs, state } = call
  return (
    <article class={`card call ${state.kind}`} data-call={id}>
      <header>
        <strong>{tool}</strong> <Clock ms={startedMs} />
        {state.kind === "open" ? (
          <Action
            look="danger"
            onAct={() => client().request("calls.terminate", { session, call: id })}
          >
            Terminate
          </Action>
        ) : (
          <span class="quiet">{duration(state.durationMs)}</span>
        )}
      </header>
      <ShownJson value={sent} />
      {state.kind === "open" ? (
        <pre class="tail">
          <ShownText text={output.value} />
        </pre>
      ) : (
        <ShownJson value={state.envelope} />
      )}
    </article>
  )
}
