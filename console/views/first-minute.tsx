import { useComputed, useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../src/api/index.ts"
import { Action } from "../parts/action.tsx"
import { Copy } from "../parts/copy.tsx"
import { Field } from "../parts/field.tsx"
import { client } from "../state/client.ts"
import { useRecord } from "../state/record/use-record.ts"
import { sessions } from "../state/sessions.ts"
import { type Progress, progressOf } from "./first-minute-progress.ts"
import { StartedCall } from "./try/started-call.tsx"

/** The session of the first steps. */
const welcome = "welcome"

const hiddenKey = "toolkeep-first-minute"

/** Three steps for those who have no session of their own yet; nothing for all others. */
export function FirstMinute() {
  const isHidden = useSignal(localStorage.getItem(hiddenKey) === "hidden")
  const hasOthers = useComputed(() => sessions.value.some(({ name }) => name !== welcome))
  const hasSession = useComputed(() => sessions.value.some(({ name }) => name === welcome))
  const record = useRecord(welcome, hasSession.value)
  if (isHidden.value) return null
  // Whoever came with sessions needs no introduction; whoever connects an agent now sees the last tick.
  if (hasOthers.value && !hasSession.value) return null
  const done = progressOf(record, hasOthers.value)
  const isDone = done.ran && done.asked && done.connected
  return (
    <section class="first-minute" aria-labelledby="first-minute">
      <h2 id="first-minute">Your first minute</h2>
      <ol>
        <Run done={done} />
        <BeAsked done={done} />
        <Connect done={done} />
      </ol>
      <button
        type="button"
        onClick={() => {
          localStorage.setItem(hiddenKey, "hidden")
          isHidden.value = true
        }}
      >
        {isDone ? "Done" : "Don't show this again"}
      </button>
    </section>
  )
}

interface StepProps {
  readonly title: string
  readonly isDone: boolean
  readonly children: ComponentChildren
}

function Step({ title, isDone, children }: StepProps) {
  return (
    <li class={isDone ? "step done" : "step"}>
      <h3>
        {title} {isDone && <span class="badge good">✓ done</span>}
      </h3>
      {children}
    </li>
  )
}

function Run({ done }: { readonly done: Progress }) {
  const command = useSignal("uname -a; date")
  const call = useSignal<string | null>(null)
  const run = async () => {
    const input = { command: command.value }
    const given = { session: welcome, tool: "shell.exec", input, wait: false }
    call.value = (await client().request("calls.start", given)).call
  }
  return (
    <Step title="Run a tool" isDone={done.ran}>
      <p>A command in a sandbox of its own, as an agent would run it.</p>
      <div class="form">
        <Field label="Command">
          <textarea
            rows={1}
            value={command.value}
            onInput={({ currentTarget }) => {
              command.value = currentTarget.value
            }}
          />
        </Field>
        <div class="row">
          <Action look="main" onAct={run}>
            Run
          </Action>
        </div>
      </div>
      {call.value !== null && <StartedCall key={call.value} session={welcome} call={call.value} />}
    </Step>
  )
}

/** Asked for by the call itself, so that it works under every policy and changes none. */
function BeAsked({ done }: { readonly done: Progress }) {
  const call = useSignal<string | null>(null)
  const run = async () => {
    const input = { path: "welcome.md", content: "# Welcome\n\nYou approved this file.\n" }
    const given = { session: welcome, tool: "file.write", input, wait: false }
    const ask = "You wanted to see a question. Approve it, and the file is written."
    call.value = (await client().request("calls.start", { ...given, ask })).call
  }
  return (
    <Step title="Be asked" isDone={done.asked}>
      <p>
        A call that waits for you. Its question arrives in every open console, also under{" "}
        <a href="/waiting">Waiting</a>.
      </p>
      <Action onAct={run}>Run one that asks</Action>
      {call.value !== null && <StartedCall key={call.value} session={welcome} call={call.value} />}
    </Step>
  )
}

type Connections = RouteAnswer<"server.connections">

function Connect({ done }: { readonly done: Progress }) {
  const lines = useSignal<Connections | null>(null)
  const load = async () => {
    lines.value = await client().request("server.connections", {})
  }
  useEffect(() => void load().catch(() => {}), [])
  return (
    <Step title="Connect your agent" isDone={done.connected}>
      <p>Paste what is for it. This is ticked when its first call arrives.</p>
      {lines.value && <ConnectionList lines={lines.value.to_this_server} />}
      {lines.value && (
        <details>
          <summary>Without a token: the agent starts a server of its own</summary>
          <ConnectionList lines={lines.value.to_own} />
        </details>
      )}
      {!lines.value && <Action onAct={load}>Show the lines</Action>}
    </Step>
  )
}

function ConnectionList({ lines }: { readonly lines: Connections["to_own"] }) {
  return (
    <>
      {lines.map(({ client: agent, paste, file }) => (
        <details key={agent} class="connection">
          <summary>{agent}</summary>
          {file !== undefined && (
            <p class="quiet">
              In <code>{file}</code>
            </p>
          )}
          <div class="row">
            <Copy text={paste} what={`the line for ${agent}`} />
          </div>
          <pre>{paste}</pre>
        </details>
      ))}
    </>
  )
}
