import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals"
import { useContext } from "preact/hooks"
import {
  type CallState,
  callState,
  canTerminate,
  stateText,
  stateTones,
} from "../model/call-state.ts"
import type { CallCard } from "../model/card.ts"
import { leftText } from "../model/effects-view.ts"
import { Action } from "../parts/action.tsx"
import { AnsiText } from "../parts/text/ansi-text.tsx"
import { ShownJson, ShownText } from "../parts/text/shown-text.tsx"
import { Clock, Countdown, duration, Elapsed } from "../parts/time.tsx"
import { endings, terminate } from "../state/endings.ts"
import { nowMs } from "../state/now-ms.ts"
import { questions } from "../state/questions.ts"
import { sessions } from "../state/sessions.ts"
import { CallInput } from "./call-input.tsx"
import { ChildTask, TaskLink } from "./child-task.tsx"
import { Moment } from "./moment.ts"
import { Result } from "./result.tsx"

interface CallProps {
  readonly call: CallCard
  readonly output: (id: string) => ReadonlySignal<string>
  readonly session: string
}

/** A call, in whichever state it is. */
export function CallView({ call, output, session }: CallProps) {
  const moment = useContext(Moment)
  const isPast = moment !== null
  const question = questions.value.find((one) => one.call === call.id && one.session === session)
  const now = { question, endingMs: endings.value.get(call.id) }
  const state = callState(call, isPast ? {} : now)
  const child = call.child ?? (isPast ? null : runningChild(session, call.id))
  const isJson = useSignal(false)
  const isOpen = state.kind === "running" || state.kind === "ending"
  return (
    <article
      class={`card call ${stateTones[state.kind]}`}
      // Reached by j and k.
      tabIndex={-1}
      data-call={call.id}
      data-state={state.kind}
      aria-label={`${call.tool}, ${stateText(state)}`}
    >
      <CallHead call={call} state={state} session={session} isJson={isJson} />
      <CallInput call={call} />
      {state.kind === "waiting" && (
        <p class="asks">
          <ShownText text={call.asked.at(-1)?.prompt ?? ""} />{" "}
          {!isPast && (
            <a href={`/waiting${question ? `?question=${question.question}` : ""}`}>Answer</a>
          )}
        </p>
      )}
      {isOpen && <Tail output={output(call.id)} />}
      {child !== null && (isPast ? <TaskLink session={child} /> : <ChildTask session={child} />)}
      {state.kind === "ended-by-person" && (
        <p class="quiet">
          <ShownText text={leftText(call.effects)} />
        </p>
      )}
      {"end" in state && (
        <CallAnswer call={call} state={state} session={session} isJson={isJson.value} />
      )}
    </article>
  )
}

/** A task is recorded with its call only when it ends. */
function runningChild(session: string, call: string): string | null {
  const name = `${session}/${call}`
  return sessions.value.some((one) => one.parent === session && one.name === name) ? name : null
}

interface CallHeadProps {
  readonly call: CallCard
  readonly state: CallState
  readonly session: string
  readonly isJson: Signal<boolean>
}

function CallHead({ call, state, session, isJson }: CallHeadProps) {
  const { id, tool, startedMs } = call
  const moment = useContext(Moment)
  return (
    <header>
      <strong>{tool || "a tool"}</strong>
      <span class={`state ${stateTones[state.kind]}`}>{stateText(state)}</span>
      <StateTime state={state} />
      <Clock ms={startedMs} />
      <span class="actions">
        {moment === null && state.kind === "running" && canTerminate(state, nowMs.value) && (
          <Action look="danger" onAct={() => terminate(session, id)}>
            Terminate
          </Action>
        )}
        {"end" in state && (
          <button
            type="button"
            class="quiet-button"
            aria-pressed={isJson.value}
            onClick={() => (isJson.value = !isJson.value)}
          >
            JSON
          </button>
        )}
        <a data-receipt href={receiptAddress(session, id)} aria-label={`Receipt of ${tool}`}>
          Receipt
        </a>
      </span>
    </header>
  )
}

export function receiptAddress(session: string, call: string): string {
  return `/s/${encodeURIComponent(session)}?call=${encodeURIComponent(call)}`
}

function StateTime({ state }: { readonly state: CallState }) {
  const moment = useContext(Moment)
  switch (state.kind) {
    case "requested":
      return null
    case "waiting":
      return state.expiresMs === null ? null : <Countdown untilMs={state.expiresMs} />
    case "running":
    case "ending":
      if (moment === null) return <Elapsed sinceMs={state.sinceMs} />
      return <span class="quiet">for {duration(Math.max(0, moment - state.sinceMs))}</span>
    default:
      return <span class="quiet">{duration(state.end.durationMs)}</span>
  }
}

/** Drawn of a tail each time that more comes; a person reads no faster. */
const drawnCharacters = 6_000

/** The end of what a running call has printed. Only this part is drawn again when more comes. */
function Tail({ output }: { readonly output: ReadonlySignal<string> }) {
  if (output.value === "") return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <pre tabIndex={0} class="tail">
      <code>
        <AnsiText text={output.value.slice(-drawnCharacters)} />
      </code>
    </pre>
  )
}

interface CallAnswerProps {
  readonly call: CallCard
  readonly state: Extract<CallState, { end: unknown }>
  readonly session: string
  readonly isJson: boolean
}

function CallAnswer({ call, state, session, isJson }: CallAnswerProps) {
  const { envelope } = state.end
  const warnings = envelope.ok ? (envelope.warnings ?? []) : []
  return (
    <>
      {isJson ? (
        <ShownJson value={envelope} />
      ) : (
        <Result
          envelope={envelope}
          sent={call.checked ?? call.sent}
          {...{ session, call: call.id }}
        />
      )}
      {warnings.length > 0 && (
        <ul class="warnings" aria-label="Warnings">
          {warnings.map((warning, index) => (
            <li key={index}>
              <ShownText text={warning} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
