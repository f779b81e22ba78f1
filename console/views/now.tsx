import { useEffect } from "preact/hooks"
import { receiptAddress } from "../cards/call.tsx"
import { QuestionList } from "../cards/question/question-list.tsx"
import { callState, stateText } from "../model/call-state.ts"
import { Action } from "../parts/action.tsx"
import { AnsiText } from "../parts/text/ansi-text.tsx"
import { ShownText } from "../parts/text/shown-text.tsx"
import { Clock, Elapsed } from "../parts/time.tsx"
import { terminate } from "../state/endings.ts"
import { dismissFailures, type FailedCall, failures, watchFailures } from "../state/failures.ts"
import { questions } from "../state/questions.ts"
import { type RunningCall, running, watchRunning } from "../state/running.ts"
import { type SessionFacts, sessions } from "../state/sessions.ts"
import { AskNow } from "./ask/ask-now.tsx"
import { FirstMinute } from "./first-minute.tsx"
import { RunningPatterns } from "./running-patterns.tsx"

/** What waits, what runs, what failed since a person last looked, and the sessions by their last activity. */
export function Now() {
  useEffect(watchRunning, [])
  useEffect(watchFailures, [])
  return (
    <>
      <h1>Now</h1>
      <QuestionList />
      <RunningCalls />
      <Failures />
      <RunningPatterns />
      <Sessions />
      <FirstMinute />
      <AskNow />
    </>
  )
}

function RunningCalls() {
  // What waits is above, with its question.
  const waiting = new Set(questions.value.map(({ call }) => call))
  const shown = running.value.filter(({ call }) => !waiting.has(call))
  if (shown.length === 0) return null
  return (
    <section aria-labelledby="running">
      <h2 id="running">Running</h2>
      {shown.map((one) => (
        <RunningView key={one.call} running={one} />
      ))}
    </section>
  )
}

function RunningView({ running: one }: { readonly running: RunningCall }) {
  const { session, call, tool, startedMs, tail } = one
  return (
    <article class="card call busy" data-running={call}>
      <header>
        <strong>{tool}</strong> in <SessionLink name={session} />
        <Elapsed sinceMs={startedMs} />
        <span class="actions">
          <Action look="danger" onAct={() => terminate(session, call)}>
            Terminate
          </Action>
        </span>
      </header>
      {tail !== "" && (
        <pre class="tail">
          <code>
            <AnsiText text={tail} />
          </code>
        </pre>
      )}
    </article>
  )
}

function Failures() {
  if (failures.value.length === 0) return null
  return (
    <section aria-labelledby="failed">
      <h2 id="failed">Failed since you last looked</h2>
      <ul class="sessions">
        {failures.value.map((failed) => (
          <li key={failed.call.id}>
            <FailedLine failed={failed} />
          </li>
        ))}
      </ul>
      <button type="button" onClick={dismissFailures}>
        Seen
      </button>
    </section>
  )
}

function FailedLine({ failed: { session, call } }: { readonly failed: FailedCall }) {
  const { end, id, tool } = call
  const message = end && !end.envelope.ok ? end.envelope.message : ""
  return (
    <>
      <a href={receiptAddress(session, id)}>{tool}</a>
      <span class="text-bad">{stateText(callState(call))}</span>
      <span>
        in <SessionLink name={session} />
      </span>
      {end && <Clock ms={end.atMs} />}
      <span class="quiet">
        <ShownText text={message.slice(0, 200)} />
      </span>
    </>
  )
}

function Sessions() {
  const all = sessions.value
  if (all.length === 0) return <p class="empty">No session yet.</p>
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <ul class="sessions">
        {all.map((session) => (
          <li key={session.name}>
            <SessionLine session={session} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function SessionLine({ session }: { readonly session: SessionFacts }) {
  const { name, state, updated_ms, head, parent } = session
  return (
    <>
      <SessionLink name={name} />
      <span class={`state ${state === "idle" ? "" : "busy"}`}>{state}</span>
      <span class="quiet">{head} entries</span>
      {parent !== null && <span class="quiet">task of {parent}</span>}
      <Clock ms={updated_ms} />
    </>
  )
}

function SessionLink({ name }: { readonly name: string }) {
  return (
    <a href={`/s/${encodeURIComponent(name)}`}>
      <ShownText text={name} />
    </a>
  )
}
