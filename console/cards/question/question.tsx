import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { takesKeys } from "../../model/question-list.ts"
import { Action, OnlineButton } from "../../parts/action.tsx"
import { ShownJson, ShownText } from "../../parts/text/shown-text.tsx"
import { Clock, Countdown } from "../../parts/time.tsx"
import { whyNotNow } from "../../state/client.ts"
import { useKeys } from "../../state/keys.ts"
import { answer, type Question, type QuestionAnswer } from "../../state/questions.ts"
import { AlwaysForm, DenyForm, EditForm, SayForm } from "./answer-forms.tsx"
import { Outcome } from "./outcome.tsx"

interface QuestionProps {
  readonly question: Question
  /** Whether it still waits. */
  readonly isOpen: boolean
  /** Whether the address of the page names it. */
  readonly isFocused: boolean
}

type Form = "none" | "deny" | "edit" | "always"

/** A call or a model that waits for a person. */
export function QuestionCard({ question, isOpen, isFocused }: QuestionProps) {
  const { session, tool, text, input, asked_ms, expires_ms } = question
  const card = useRef<HTMLElement>(null)
  const seenSince = useSeenSince(card)
  const form = useSignal<Form>("none")
  /** What was answered here. */
  const given = useSignal<QuestionAnswer | null>(null)
  const give = async (one: QuestionAnswer) => {
    const isFirst = await answer(question, one)
    if (isFirst) given.value = one
  }
  useEffect(() => {
    if (!isFocused) return
    card.current?.scrollIntoView({ block: "center" })
    card.current?.focus()
  }, [isFocused])
  const canUseKeys = () =>
    document.activeElement === card.current &&
    takesKeys(seenSince.current, performance.now()) &&
    whyNotNow() === undefined &&
    form.peek() === "none"
  // By its button, which also shows that it is busy, or why it failed.
  const approve = () => card.current?.querySelector<HTMLElement>("footer .main")?.click()
  const open = (name: Form) => () => {
    form.value = name
  }
  const isAnswerable = isOpen && question.kind === "approval"
  useKeys(
    isAnswerable
      ? [
          { ...keyOf("a", "Approve"), act: approve, when: canUseKeys },
          { ...keyOf("d", "Deny with a reason"), act: open("deny"), when: canUseKeys },
          { ...keyOf("e", "Edit the arguments"), act: open("edit"), when: canUseKeys },
          { ...keyOf("A", "Always for this session"), act: open("always"), when: canUseKeys },
        ]
      : [],
    [isAnswerable],
  )
  return (
    <article
      class="card question"
      ref={card}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a question takes keys when it has the focus.
      tabIndex={0}
      data-question={question.question}
      aria-label={`${tool} asks`}
    >
      <header>
        <strong>{tool}</strong> in <a href={`/s/${encodeURIComponent(session)}`}>{session}</a>
        <Clock ms={asked_ms} />
        {isOpen && expires_ms !== null && <Countdown untilMs={expires_ms} />}
      </header>
      <p class="question-text">
        <ShownText text={question.kind === "approval" ? firstLine(text) : text} />
      </p>
      <RuleText question={question} />
      {question.kind === "approval" && <ShownJson value={input} />}
      <footer>
        {isOpen ? (
          <Answers {...{ question, form, give }} />
        ) : (
          <Outcome question={question} given={given.value} />
        )}
      </footer>
    </article>
  )
}

/** The lines below it are the arguments, which are shown as they are. */
function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? ""
}

const keyOf = (keys: string, does: string) => ({ keys, does, group: "Question" }) as const

interface AnswersProps {
  readonly question: Question
  readonly form: { value: Form }
  readonly give: (answer: QuestionAnswer) => Promise<void>
}

function Answers({ question, form, give }: AnswersProps) {
  const close = () => {
    form.value = "none"
  }
  if (question.kind === "clarify") return <SayForm question={question} give={give} />
  switch (form.value) {
    case "deny":
      return <DenyForm give={give} close={close} />
    case "edit":
      return <EditForm question={question} give={give} close={close} />
    case "always":
      return <AlwaysForm question={question} give={give} close={close} />
    case "none":
      return (
        <>
          <Action look="main" onAct={() => give({ answer: "approve" })}>
            Approve
          </Action>
          <OnlineButton class="danger" onClick={() => (form.value = "deny")}>
            Deny
          </OnlineButton>
          <OnlineButton onClick={() => (form.value = "edit")}>Edit</OnlineButton>
          <OnlineButton onClick={() => (form.value = "always")}>Always</OnlineButton>
        </>
      )
    default:
      return form.value satisfies never
  }
}

function RuleText({ question: { rule } }: { readonly question: Question }) {
  if (!rule) return null
  return (
    <p class="rule">
      <code>
        <ShownText text={rule.text} />
      </code>
      {rule.because !== undefined && (
        <>
          {" "}
          <ShownText text={rule.because} />
        </>
      )}
      {rule.line !== undefined && (
        <span class="quiet">
          {" "}
          {rule.file ?? "toolkeep.yaml"}, line {rule.line}
        </span>
      )}
    </p>
  )
}

/** Since when an element is on screen; null while it is not. */
function useSeenSince(element: { readonly current: Element | null }) {
  const since = useRef<number | null>(null)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver(
      (changes) => {
        const isSeen = changes.at(-1)?.isIntersecting ?? false
        since.current = isSeen ? (since.current ?? performance.now()) : null
      },
      { threshold: 0.25 },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return since
}
