import type { ReadonlySignal } from "@preact/signals"
import type { MessageCard } from "../model/card.ts"
import { Markdown } from "../parts/text/markdown.tsx"
import { Clock } from "../parts/time.tsx"

const speakers: Readonly<Record<string, string>> = { user: "Person", assistant: "Model" }

export function Message({ message: { role, text, atMs } }: { readonly message: MessageCard }) {
  return (
    <article class={`card message ${role}`}>
      <header>
        <strong>{speakers[role] ?? role}</strong> <Clock ms={atMs} />
      </header>
      <Markdown text={text} />
    </article>
  )
}

/** What a model is writing; its recorded message takes the place of it. */
export function DraftMessage({ text }: { readonly text: ReadonlySignal<string> }) {
  return (
    <article class="card message assistant draft" aria-busy="true">
      <header>
        <strong>Model</strong> <span class="state busy">writing</span>
      </header>
      <Markdown text={text.value} isOpen={true} />
    </article>
  )
}
