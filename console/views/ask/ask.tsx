import { useSignal } from "@preact/signals"
import { Action } from "../../parts/action.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { client } from "../../state/client.ts"
import { type RunFacts, useModel, useRun } from "./model.ts"

interface AskProps {
  readonly session: string
  /** When a run has begun. */
  readonly onStarted?: () => void
}

/** A box to ask the server's model in a session; where there is none, what would bring one. */
export function Ask({ session, onStarted = () => {} }: AskProps) {
  const model = useModel()
  const { facts, look } = useRun(session)
  const typed = useSignal("")
  const said = useSignal("")
  if (model === null) return null
  if (model.model === null) {
    return (
      <p class="quiet ask-missing">
        <ShownText text={model.why_not ?? ""} />
      </p>
    )
  }
  const { run, problem } = facts.value
  const isWorking = run === "running" || run === "waiting"
  const ask = async () => {
    const text = typed.value.trim()
    if (text === "") return
    const { started } = await client().request("runs.start", { session, text })
    typed.value = ""
    said.value = started ? "" : "The model reads this before its next request."
    await look()
    if (started) onStarted()
  }
  return (
    <section class="ask" aria-label="Ask the model">
      {problem !== null && (
        <p role="alert">
          <ShownText text={problem} />
        </p>
      )}
      <textarea
        rows={2}
        aria-label="Ask"
        placeholder={isWorking ? "Say something while it works" : `Ask ${model.model}`}
        value={typed.value}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
          event.preventDefault()
          // As the button does, which says why when it fails.
          const box = event.currentTarget.closest(".ask")
          box?.querySelector<HTMLButtonElement>("button.main")?.click()
        }}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value
          said.value = ""
        }}
      />
      <div class="row">
        <Action look="main" onAct={ask}>
          {isWorking ? "Tell" : "Ask"}
        </Action>
        <RunActions session={session} run={run} onActed={look} />
        <span class="quiet" role="status">
          {said.value || stateTexts[run]}
        </span>
      </div>
    </section>
  )
}

const stateTexts: Readonly<Record<RunFacts["run"], string>> = {
  none: "",
  running: "The model works.",
  waiting: "The model waits for an answer to its question.",
  interrupted: "The last run was interrupted, or another program works on it.",
}

interface RunActionsProps {
  readonly session: string
  readonly run: RunFacts["run"]
  readonly onActed: () => Promise<void>
}

function RunActions({ session, run, onActed }: RunActionsProps) {
  switch (run) {
    case "none":
      return null
    case "running":
    case "waiting":
      return (
        <Action
          look="danger"
          onAct={() => client().request("runs.abort", { session }).then(onActed)}
        >
          Stop
        </Action>
      )
    case "interrupted":
      return (
        <Action onAct={() => client().request("runs.start", { session }).then(onActed)}>
          Continue
        </Action>
      )
    default:
      return run satisfies never
  }
}
