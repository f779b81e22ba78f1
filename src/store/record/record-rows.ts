import { createHash } from "node:crypto"
import { recordLimits } from "../limits.ts"
import { notJson, tooLarge } from "./record-failures.ts"
import type {
  CallOutput,
  NewEntry,
  RecordEntry,
  RecordedQuestion,
  RecordedSession,
  SessionState,
} from "./record-store.ts"

export type Row = Readonly<Record<string, unknown>>

/** An entry with the text of its body, and the hash of that where it is large enough to be stored apart. */
export interface PackedEntry {
  readonly entry: NewEntry
  readonly text: string
  readonly hash: Uint8Array | null
}

export function pack(entry: NewEntry): PackedEntry {
  const text = jsonOf(entry.body)
  if (text.length > recordLimits.bodyCharacters) throw tooLarge(text.length)
  const isLarge = text.length > recordLimits.inlineCharacters
  return { entry, text, hash: isLarge ? createHash("sha256").update(text).digest() : null }
}

export function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body) ?? "null"
  } catch (error) {
    throw notJson(error)
  }
}

export function entryId(session: string, sequence: number): string {
  return `${session}.${sequence}`
}

export function entryFrom(session: string, row: Row): RecordEntry {
  const sequence = Number(row.sequence)
  return {
    id: entryId(session, sequence),
    sequence,
    parent: row.parent === null ? null : Number(row.parent),
    kind: String(row.kind),
    at: Number(row.at_ms),
    body: JSON.parse(String(row.body)),
    ...(row.milestone === 1 && { isMilestone: true }),
  }
}

export function sessionFrom(row: Row): RecordedSession {
  const { parent_session: session, parent_call: call, owner } = row
  return {
    id: String(row.id),
    name: String(row.name),
    parent: session === null ? null : { session: String(session), call: String(call) },
    state: String(row.state) as SessionState,
    head: Number(row.head),
    createdAt: Number(row.created_ms),
    updatedAt: Number(row.updated_ms),
    owner: owner === null ? null : String(owner),
  }
}

export function outputFrom(row: Row): CallOutput {
  return { head: String(row.head), tail: String(row.tail), bytes: Number(row.bytes) }
}

export function questionFrom(row: Row): RecordedQuestion {
  return {
    id: String(row.id),
    session: String(row.session_id),
    call: String(row.call),
    askedAt: Number(row.asked_ms),
    body: JSON.parse(String(row.body)),
    answer: typeof row.answer === "string" ? JSON.parse(row.answer) : null,
  }
}
