import type { RouteAnswer } from "../../src/api/index.ts"
import type { Envelope } from "../../src/contract/envelope/envelope.ts"
import { fieldOf, listOf, numberOf, textOf, textsOf } from "./read-field.ts"

export type Entry = RouteAnswer<"entries.list">["entries"][number]

/** One thing that happened in a session, as the page shows it. */
export type Card = CallCard | MessageCard | NoteCard

export interface CallCard {
  readonly kind: "call"
  readonly id: string
  readonly tool: string
  readonly sent: unknown
  /** What runs, where repair changed what was sent. */
  readonly checked?: unknown
  readonly repairs: readonly string[]
  readonly verdict: Verdict | null
  readonly agent: string | null
  readonly sandbox: string | null
  readonly cwd: string | null
  readonly startedMs: number
  /** What was asked and what was answered, in order. */
  readonly asked: readonly AskedAndAnswered[]
  readonly end: CallEnd | null
  /** How many bytes it had printed when that was last recorded. */
  readonly printed: number
  /** What the call did, where that was looked at. */
  readonly effects: unknown
  /** The session of the task that the call started. */
  readonly child: string | null
  /** Whether the entry of the call itself is known, not only later ones. */
  readonly isWhole: boolean
}

export interface CallEnd {
  readonly envelope: Envelope
  readonly durationMs: number
  readonly atMs: number
  /** Whether a restart ended it, and then whether it had done anything. */
  readonly interrupted: "harmless" | "unknown" | null
}

export interface Verdict {
  readonly kind: string
  readonly rule: ShownRule | null
}

export interface ShownRule {
  readonly source: string | null
  readonly text: string
  readonly because: string | null
  readonly remedy: string | null
  readonly line: number | null
  /** The file that the line is in. */
  readonly file: string
}

export interface AskedAndAnswered {
  readonly prompt: string
  readonly askedMs: number
  readonly answer: GivenAnswer | null
}

export interface GivenAnswer {
  readonly kind: string
  readonly atMs: number
  readonly by: string | null
  readonly reason: string | null
  readonly always: boolean
  /** Of an edit: the arguments that the person wrote. */
  readonly input?: unknown
}

export interface MessageCard {
  readonly kind: "message"
  readonly id: string
  readonly atMs: number
  readonly role: string
  readonly text: string
}

/** An entry that is neither, in one line. */
export interface NoteCard {
  readonly kind: "note"
  readonly id: string
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
    case "call-printed":
    case "call-effects":
    case "child":
      return textOf(body, "call")
    case "message":
      return messageText(body).text === "" ? null : `entry:${sequence}`
    case "run":
    case "run-ended":
    case "branched":
      return `entry:${sequence}`
    default:
      return null
  }
}

/** The card of entries with the same id, in the order of their numbers. There is at least one. */
export function cardFrom(id: string, entries: readonly Entry[]): Card {
  const [first] = entries
  if (first?.kind === "message") {
    return { kind: "message", id, atMs: first.at_ms, ...messageText(first.body) }
  }
  if (first && id === `entry:${first.sequence}`) {
    return { kind: "note", id, atMs: first.at_ms, about: first.kind, body: first.body }
  }
  const start = unknownCall(id, first?.at_ms ?? 0)
  return entries.reduce(withEntry, start)
}

/** A call of which only its id is known. */
export function unknownCall(id: string, startedMs: number, tool = ""): CallCard {
  return {
    kind: "call",
    ...{ id, tool, sent: undefined, repairs: [], verdict: null, agent: null, sandbox: null },
    ...{
      cwd: null,
      startedMs,
      asked: [],
      end: null,
      printed: 0,
      effects: null,
      child: null,
      isWhole: false,
    },
  }
}

function withEntry(call: CallCard, { kind, at_ms: atMs, body }: Entry): CallCard {
  switch (kind) {
    case "call":
      return { ...call, ...callFacts(body), startedMs: atMs, isWhole: true }
    case "question": {
      const prompt = textOf(body, "prompt") ?? ""
      return { ...call, asked: [...call.asked, { prompt, askedMs: atMs, answer: null }] }
    }
    case "answer": {
      const last = call.asked.at(-1) ?? { prompt: "", askedMs: atMs }
      const answer = givenAnswer(fieldOf(body, "answer"), atMs)
      const asked = [...call.asked.slice(0, -1), { ...last, answer }]
      // What a person wrote is what runs.
      const isEdit = answer.kind === "edited" && answer.input !== undefined
      return { ...call, asked, ...(isEdit && { checked: answer.input, repairs: [] }) }
    }
    case "envelope": {
      const end = callEnd(body, atMs)
      return { ...call, end, tool: call.tool || end.envelope.tool }
    }
    case "call-printed":
      return { ...call, printed: numberOf(body, "bytes") ?? 0 }
    case "call-effects":
      return { ...call, effects: body }
    case "child":
      return { ...call, child: textOf(body, "session") }
    default:
      return call
  }
}

function callFacts(body: unknown): Partial<CallCard> {
  const checked = fieldOf(body, "checked")
  return {
    tool: textOf(body, "tool") ?? "",
    sent: fieldOf(body, "input"),
    ...(checked !== undefined && { checked }),
    repairs: textsOf(body, "repairs"),
    verdict: verdictOf(fieldOf(body, "verdict")),
    agent: textOf(body, "agent"),
    sandbox: textOf(body, "sandbox"),
    cwd: textOf(body, "cwd"),
  }
}

function verdictOf(value: unknown): Verdict | null {
  const kind = textOf(value, "kind")
  return kind === null ? null : { kind, rule: ruleOf(fieldOf(value, "rule")) }
}

function ruleOf(value: unknown): ShownRule | null {
  const text = textOf(value, "text")
  if (text === null) return null
  return {
    ...{ text, source: textOf(value, "source"), because: textOf(value, "because") },
    ...{ remedy: textOf(value, "remedy"), line: numberOf(value, "line") },
    file: textOf(value, "file") ?? "toolkeep.yaml",
  }
}

function givenAnswer(value: unknown, atMs: number): GivenAnswer {
  const input = fieldOf(value, "input")
  return {
    ...{ kind: textOf(value, "kind") ?? "", atMs, by: textOf(value, "by") },
    ...{ reason: textOf(value, "reason"), always: fieldOf(value, "always") === true },
    ...(input !== undefined && { input }),
  }
}

function callEnd(body: unknown, atMs: number): CallEnd {
  const interrupted = textOf(body, "interrupted")
  return {
    envelope: fieldOf(body, "envelope") as Envelope,
    durationMs: numberOf(body, "duration_ms") ?? 0,
    atMs,
    interrupted: interrupted === "harmless" || interrupted === "unknown" ? interrupted : null,
  }
}

/** What a message says in words; its calls have cards of their own, and so have the results. */
function messageText(body: unknown): { readonly role: string; readonly text: string } {
  const message = fieldOf(body, "message")
  const role = textOf(message, "role") ?? ""
  const plain = textOf(message, "content")
  if (plain !== null) return { role, text: plain }
  const texts = listOf(message, "content").filter((part) => textOf(part, "type") === "text")
  return { role, text: texts.map((part) => textOf(part, "text") ?? "").join("\n\n") }
}
