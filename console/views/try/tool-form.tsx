import { useSignal } from "@preact/signals"
import { Action } from "../../parts/action.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { client } from "../../state/client.ts"
import { Fields, readJson } from "./form.tsx"
import { fieldsOf } from "./form-field.ts"
import { StartedCall } from "./started-call.tsx"
import type { Tool } from "./try.tsx"
import { WouldDo } from "./would-do.tsx"

interface ToolFormProps {
  readonly tool: Tool
  readonly session: string
}

/** What is typed as JSON is what runs, also what no form could say: repair and checks are the server's. */
export function ToolForm({ tool, session }: ToolFormProps) {
  const { name, description, effects, input_schema } = tool
  const shown = useSignal<"form" | "json">("form")
  const input = useSignal<unknown>({})
  const call = useSignal<string | null>(null)
  const run = async () => {
    const given = { session, tool: name, input: input.value as Record<string, unknown> }
    call.value = (await client().request("calls.start", { ...given, wait: false })).call
  }
  return (
    <section class="tool-form" aria-labelledby="tool-name">
      <h2 id="tool-name">
        <ShownText text={name} />
      </h2>
      <p class="tool-description">
        <ShownText text={description} />
      </p>
      <p class="row">
        {effects.map((effect) => (
          <span class="badge" key={effect}>
            {effect}
          </span>
        ))}
      </p>
      <div class="tabs" role="tablist" aria-label="How to give the input">
        {(["form", "json"] as const).map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            aria-selected={shown.value === one}
            aria-controls="tool-input"
            onClick={() => {
              shown.value = one
            }}
          >
            {one === "form" ? "Form" : "JSON"}
          </button>
        ))}
      </div>
      <div class="form" id="tool-input" role="tabpanel" aria-labelledby={`tab-${shown.value}`}>
        {shown.value === "form" ? (
          <Fields
            fields={fieldsOf(input_schema)}
            value={input.value}
            onChange={(value) => {
              input.value = value
            }}
          />
        ) : (
          <JsonInput
            value={input.value}
            onChange={(value) => {
              input.value = value
            }}
          />
        )}
      </div>
      <WouldDo session={session} tool={name} input={input.value} />
      <div class="row">
        <Action look="main" onAct={run}>
          Run
        </Action>
      </div>
      {call.value !== null && <StartedCall key={call.value} session={session} call={call.value} />}
    </section>
  )
}

interface JsonInputProps {
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

function JsonInput({ value, onChange }: JsonInputProps) {
  const text = useSignal(JSON.stringify(value, null, 2))
  const problem = useSignal<string | null>(null)
  const onInput = (next: string) => {
    text.value = next
    const parsed = readJson(next)
    const given = parsed.ok ? (parsed.value ?? {}) : null
    const isObject = typeof given === "object" && given !== null && !Array.isArray(given)
    problem.value = isObject ? null : "This is not a JSON object yet; the last one that was is run."
    if (isObject) onChange(given)
  }
  return (
    <>
      <textarea
        aria-label="Input as JSON"
        class="json-input"
        rows={10}
        spellcheck={false}
        value={text.value}
        aria-invalid={problem.value !== null}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {problem.value !== null && <p class="problem">{problem.value}</p>}
    </>
  )
}
