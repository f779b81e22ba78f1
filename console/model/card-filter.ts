import { callState, type StateKind } from "./call-state.ts"
import type { Card } from "./card.ts"

/** What the reader looks for; an empty text stands for everything. */
export interface CardFilter {
  readonly tool: string
  readonly result: ResultFilter
  readonly text: string
}

export type ResultFilter = "all" | "running" | "waiting" | "done" | "problem"

export const noFilter: CardFilter = { tool: "", result: "all", text: "" }

export function isFiltering({ tool, result, text }: CardFilter): boolean {
  return tool !== "" || result !== "all" || text.trim() !== ""
}

const groups: Readonly<Record<StateKind, Exclude<ResultFilter, "all">>> = {
  ...{ requested: "running", running: "running", ending: "running", waiting: "waiting" },
  ...{ ok: "done", warned: "done", "ended-by-person": "problem", exited: "problem" },
  ...{ refused: "problem", denied: "problem", invalid: "problem", "timed-out": "problem" },
  ...{ failed: "problem", interrupted: "problem" },
}

export function matchesFilter(card: Card, { tool, result, text }: CardFilter): boolean {
  if (card.kind !== "call") return tool === "" && result === "all" && hasText(card, text)
  if (tool !== "" && card.tool !== tool) return false
  if (result !== "all" && groups[callState(card).kind] !== result) return false
  return hasText(card, text)
}

function hasText(card: Card, text: string): boolean {
  const wanted = text.trim().toLowerCase()
  return wanted === "" || searchedText(card).toLowerCase().includes(wanted)
}

/** The words of a card, as far as a person would look for them. */
function searchedText(card: Card): string {
  switch (card.kind) {
    case "message":
      return card.text
    case "note":
      return card.about
    case "call":
      return stringsOf([card.tool, card.sent, card.checked, card.end?.envelope]).join("\n")
    default:
      return card satisfies never
  }
}

/** All texts within a value; names of fields are not what a person looks for. */
function stringsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(stringsOf)
}

/** The tools of these cards, for a choice. */
export function toolsOf(cards: Iterable<Card>): readonly string[] {
  const names = new Set<string>()
  for (const card of cards) if (card.kind === "call" && card.tool !== "") names.add(card.tool)
  return [...names].sort()
}
