import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { Action } from "../../parts/action.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import type { Question, QuestionAnswer } from "../../state/questions.ts"

interface FormProps {
  readonly give: (answer: QuestionAnswer) => Promise<void>
  readonly close: () => void
}

/** The model is told the reason. */
export function DenyForm({ give, close }: FormProps) {
  const reason = useSignal("")
  const field = useFocus<HTMLInputElement>()
  const deny = () => {
    const text = reason.value.trim()
    return give({ answer: "deny", ...(text !== "" && { reason: text }) })
  }
  return (
    <Form close={close}>
      <label>
        Reason, which the model is told (may be empty)
        <input
          ref={field}
          value={reason.value}
          maxLength={10_000}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
      </label>
      <Action look="danger" onAct={deny}>
        Deny
      </Action>
    </Form>
  )
}

/** Other arguments, which are checked and judged like any others. */
export function EditForm({ question, give, close }: FormProps & { readonly question: Question }) {
  const text = useSignal(JSON.stringify(question.input, null, 2))
  const field = useFocus<HTMLTextAreaElement>()
  const run = async () => {
    await give({ answer: "edit", input: parseArguments(text.value) })
  }
  return (
    <Form close={close}>
      <label>
        Arguments as JSON
        <textarea
          ref={field}
          rows={Math.min(16, text.value.split("\n").length + 1)}
          spellcheck={false}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <Action look="main" onAct={run}>
        Run with these
      </Action>
    </Form>
  )
}

function parseArguments(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error("The arguments are a JSON object.")
  }
  return { ...value }
}

/** Says exactly what would not be asked any more. */
export function AlwaysForm({ question, give, close }: FormProps & { readonly question: Question }) {
  const { tool, session, rule } = question
  return (
    <Form close={close}>
      <p>
        In session <strong>{session}</strong>, <strong>{tool}</strong> is not asked about any more
        because of this rule:{" "}
        <code>
          <ShownText text={rule?.text ?? "the rule that asks now"} />
        </code>
        . You can withdraw this in the session.
      </p>
      <Action look="main" onAct={() => give({ answer: "always" })}>
        Always allow
      </Action>
    </Form>
  )
}

interface SayProps extends Pick<FormProps, "give"> {
  readonly question: Question
}

/** A question of the model itself. */
export function SayForm({ question, give }: SayProps) {
  const text = useSignal("")
  return (
    <div class="answer-form">
      {question.options?.map((option) => (
        <Action key={option} onAct={() => give({ answer: "say", text: option })}>
          <ShownText text={option} />
        </Action>
      ))}
      <label>
        Your answer
        <textarea
          rows={2}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <span class="actions">
        <Action look="main" onAct={() => give({ answer: "say", text: text.value })}>
          Answer
        </Action>
        <Action look="danger" onAct={() => give({ answer: "deny" })}>
          Don't answer
        </Action>
      </span>
    </div>
  )
}

interface OwnFormProps {
  readonly children: ComponentChildren
  readonly close: () => void
}

function Form({ children, close }: OwnFormProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape does what the button "Back" does.
    <div
      class="answer-form"
      onKeyDown={(event) => {
        if (event.key === "Escape") close()
      }}
    >
      {children}
      <button type="button" onClick={close}>
        Back
      </button>
    </div>
  )
}

/** A person who opened a form types into it next. */
function useFocus<Field extends HTMLElement>() {
  const field = useRef<Field>(null)
  useEffect(() => field.current?.focus(), [])
  return field
}
