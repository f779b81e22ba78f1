import type { ReadonlySignal } from "@preact/signals"
import type { Card } from "../model/card.ts"
import { CardBoundary } from "../parts/card-boundary.tsx"
import { CallView } from "./call.tsx"
import { Message } from "./message.tsx"
import { Note } from "./note.tsx"

interface CardProps {
  readonly card: ReadonlySignal<Card>
  readonly output: (id: string) => ReadonlySignal<string>
  readonly session: string
}

export function CardView(props: CardProps) {
  return (
    <CardBoundary>
      <CardByKind {...props} />
    </CardBoundary>
  )
}

function CardByKind({ card, output, session }: CardProps) {
  const shown = card.value
  switch (shown.kind) {
    case "call":
      return <CallView call={shown} output={output} session={session} />
    case "message":
      return <Message message={shown} />
    case "note":
      return <Note note={shown} />
    default:
      return shown satisfies never
  }
}
