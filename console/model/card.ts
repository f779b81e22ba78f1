import type { RouteAnswer } from "../../src/api/index.ts"
import type { Envelope } from "../../src/contract/envelope/envelope.ts"

export type Entry = RouteAnswer<"entries.list">["entries"][number]

/** One thing that happened in a session, as the page shows it. */
export type Card = CallCard | MessageCard | NoteCard

export interface CallCard {
  readonly kind: "call"
  readonly id: string
  /** The number of its first entry. */
  readonly sequence: number
  readonly tool: string
  readonly sent: unknown
  /** What runs, where repair changed what was sent. */
  readonly checked?: unknown
  readonly repairs: readonly string[]
  readonly verdict: unknown
  readonly agent: string | null
  readonly sandbox: string | null
  readonly startedMs: number
  readonly state: CallState
  /** What was asked and what was answered, in order. */
  readonly asked: readonly AskedAndAnswered[]
  /** What the call did, where that was looked at. */
  readonly effects: unknown
}

export interface AskedAndAnswered {
  readonly prompt: string
  readonly answer: { readonly kind: string; readonly by?: string; readonly reason?: string } | null
}

/** How far a call is. Whether it waits for a person is known from the questions. */
export type CallState =
  | { readonly kind: "open" }
  | { readonly kind: "ended"; readonly envelope: Envelope; readonly durationMs: number }
  | { readonly kind: "interrupted"; readonly envelope: Envelope; readonly durationMs: number }

export interface MessageCard {
  readonly kind: "message"
  readonly id: string
  readonly sequence: number
  readonly atMs: number
  readonly role: string
  readonly text: string
}

/** An entry that is neither, in one line. */
export interface NoteCard {
  readonly kind: "note"
  readonly id: string
  readonly sequence: number
  readonly atMs: number
  readonly about: string
  readonly body: unknown
}

/** The id of the card that an entry belongs to; null for what no card shows. */
export function cardId({ kind, sequence, body }: Entry): string | null {
  switch (kind) {
    case "call":
    case "question":
    case "answer":
    case "envelope":
    case "effects":
      return textOf(body, "call")
    case "message":
      return messageText(body).text === "" ? null : `entry:${sequence}`
    case "run":
    case "run-ended":
    case "child":
    case "branched":
      return `entry:${sequence}`
    default:
      return null
  }
}

/** A card with one more entry. Entries come in order, but the first of a card may not be loaded yet. */
export function withEntry(id: string, card: Card | undefined, entry: Entry): Card {
  const { kind, sequence, at_ms: atMs, body } = entry
  switch (kind) {
    case "call":
      return { ...callCard(id, card, entry), ...callFacts(entry) }
    case "question": {
      const call = callCard(id, card, entry)
      const asked = { prompt: textOf(body, "prompt") ?? "", answer: null }
      return { ...call, asked: [...call.asked, asked] }
    }
    case "answer": {
      const call = callCard(id, card, entry)
      const last = call.asked.at(-1) ?? { prompt: "", answer: null }
      const answer = fieldOf(body, "answer") as AskedAndAnswered["answer"]
      return { ...call, asked: [...call.asked.slice(0, -1), { ...last, answer }] }
    }
    case "envelope":
      return { ...callCard(id, card, entry), state: endedState(body) }
    case "effects":
      return { ...callCard(id, card, entry), effects: body }
    case "message":
      return { kind: "message", id, sequence, atMs, ...messageText(body) }
    default:
      return { kind: "note", id, sequence, atMs, about: kind, body }
  }
}

function callCard(id: string, card: Card | undefined, { sequence, at_ms, body }: Entry): CallCard {
  if (card?.kind === "call") return card
  const envelope = fieldOf(body, "envelope")
  return {
    kind: "call",
    ...{ id, sequence, tool: textOf(envelope, "tool") ?? "", sent: undefined, repairs: [] },
    ...{ verdict: null, agent: null, sandbox: null, startedMs: at_ms },
    ...{ state: { kind: "open" }, asked: [], effects: null },
  }
}

function callFacts({ sequence, at_ms, body }: Entry): Partial<CallCard> {
  const repairs = fieldOf(body, "repairs")
  const checked = fieldOf(body, "checked")
  return {
    sequence,
    startedMs: at_ms,
    tool: textOf(body, "tool") ?? "",
    sent: fieldOf(body, "input"),
    ...(checked !== undefined && { checked }),
    repairs: Array.isArray(repairs) ? repairs.map(String) : [],
    verdict: fieldOf(body, "verdict") ?? null,
    agent: textOf(body, "agent"),
    sandbox: textOf(body, "sandbox"),
  }
}

function endedState(body: unknown): CallState {
  const envelope = fieldOf(body, "envelope") as Envelope
  const durationMs = Number(fieldOf(body, "duration_ms") ?? 0)
  const kind = fieldOf(body, "interrupted") === undefined ? "ended" : "interrupted"
  return { kind, envelope, durationMs }
}

/** What a message says in words; its calls have cards of their own. */
function messageText(body: unknown): { readonly role: string; readonly text: string } {
  const message = fieldOf(body, "message")
  const content = fieldOf(message, "content")
  const parts = Array.isArray(content) ? content : []
  const texts = parts.filter((part) => fieldOf(part, "type") === "text")
  return {
    role: textOf(message, "role") ?? "",
    text: texts.map((part) => textOf(part, "text") ?? "").join("\n\n"),
  }
}

/** A field of what may be anything. */
function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

function textOf(value: unknown, name: string): string | null {
  const field = fieldOf(value, name)
  return typeof field === "string" ? field : null
}
