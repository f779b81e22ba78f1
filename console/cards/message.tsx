import type { MessageCard } from "../model/card.ts"
import { Markdown } from "../parts/markdown.tsx"
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
