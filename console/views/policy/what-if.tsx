import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../../src/api/index.ts"
import { failureText } from "../../parts/action.tsx"
import { Dialog } from "../../parts/dialog.tsx"
import { Field } from "../../parts/field.tsx"
import { ShownJson, ShownText } from "../../parts/text/shown-text.tsx"
import { client } from "../../state/client.ts"
import { ExplanationTable } from "../try/explanation.tsx"
import type { ChosenCell } from "./who-may-do-what.tsx"

interface WhatIfProps {
  readonly session: string
  readonly chosen: ChosenCell
  readonly onClose: () => void
}

type Explained = RouteAnswer<"policy.explain">

/** Whoever types does not want every letter judged. */
const restMs = 200

/** Why a verdict is what it is, stage by stage, and what would be decided about arguments. Nothing runs. */
export function WhatIf({ session, chosen: { tool, agent }, onClose }: WhatIfProps) {
  const text = useSignal("")
  const explained = useSignal<Explained | null>(null)
  const problem = useSignal<string | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    const ask = async () => {
      const input = text.value.trim() === "" ? {} : { input: JSON.parse(text.value) }
      const who = agent === null ? {} : { agent }
      const call = { session, tool, ...who, ...input }
      explained.value = await client().request("policy.explain", call, ended)
      problem.value = null
    }
    const timer = setTimeout(
      () =>
        ask().catch((error: unknown) => {
          if (!ended.signal.aborted) problem.value = failureText(error)
        }),
      explained.peek() === null ? 0 : restMs,
    )
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [text.value])
  const shown = explained.value
  return (
    <Dialog title={`${tool} for ${agent ?? "any agent"}`} class="what-if" onClose={onClose}>
      {shown?.explanation && <ExplanationTable explanation={shown.explanation} />}
      {shown?.failure !== undefined && <ShownJson value={shown.failure} />}
      <Field label="What if: arguments as JSON" hint="Nothing runs.">
        <textarea
          rows={3}
          placeholder='{ "path": "/etc/passwd" }'
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
          }}
        />
      </Field>
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {shown && shown.repairs.length > 0 && (
        <ul class="warnings" aria-label="Repairs">
          {shown.repairs.map((repair) => (
            <li key={repair}>
              <ShownText text={repair} />
            </li>
          ))}
        </ul>
      )}
      <footer class="row">
        <a href={`/try?${new URLSearchParams({ session, tool })}`}>Try this tool</a>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </footer>
    </Dialog>
  )
}
