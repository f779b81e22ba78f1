import { isObject } from "../../../contract/index.ts"
import type { RecordEntry, RecordReader, RecordStore } from "../../../store/index.ts"
import { textHashes } from "../../effects/recorded-effects.ts"
import { noSuchSession } from "../find-session.ts"
import {
  type EntryLine,
  exportVersion,
  type QuestionLine,
  type SessionLine,
} from "./session-lines.ts"

/**
 * A session as lines of JSON: the first describes it, then each entry, then each question. It holds as much as there
 * was when it began, and no more than a page of it is in memory at once.
 */
export async function* exportSession(store: RecordStore, name: string): AsyncIterable<string> {
  const reader = await store.read(name)
  const session = await reader?.session()
  if (!reader || !session) throw await noSuchSession(store, name)
  const open = new Set((await reader.openQuestions()).map(({ id }) => id))
  const questions = await reader.questions()
  const keys = new Map((await reader.unclosed()).map(({ sequence, key }) => [sequence, key]))
  const { head } = session
  const first: SessionLine = {
    ...{ toolkeep: "session", version: exportVersion, name, state: session.state },
    ...{ entries: head, questions: questions.length },
    created: new Date(session.createdAt).toISOString(),
    updated: new Date(session.updatedAt).toISOString(),
  }
  yield lineOf(first)
  const exported = new Set<string>()
  for (let after = 0; after < head; ) {
    const page = await reader.entries({ after })
    // It was deleted meanwhile: the counts of the first line say that something is missing.
    if (page.length === 0) return
    for (const entry of page.filter(({ sequence }) => sequence <= head)) {
      const line = await entryLine(reader, entry, keys.get(entry.sequence))
      const texts = await newTexts(reader, entry, exported)
      yield lineOf({ ...line, ...(texts && { texts }) })
    }
    after = page.at(-1)?.sequence ?? head
  }
  for (const { id, call, askedAt, body, answer } of questions) {
    const line: QuestionLine = {
      ...{ question: id, call, asked: askedAt, body, answer },
      taken: !open.has(id),
    }
    yield lineOf(line)
  }
}

async function entryLine(
  reader: RecordReader,
  { sequence, parent, kind, at, body, isMilestone }: RecordEntry,
  opens: string | undefined,
): Promise<EntryLine> {
  const call = kind === "call" && isObject(body) ? body.call : undefined
  const output = typeof call === "string" ? await reader.output(call) : null
  return {
    ...{ sequence, parent, kind, at, body },
    ...(isMilestone && { milestone: true }),
    ...(opens !== undefined && { opens }),
    ...(typeof call === "string" && output && { output: { call, ...output } }),
  }
}

/** The texts that an entry names, each once in an export; null for none. */
async function newTexts(
  reader: RecordReader,
  { kind, body }: RecordEntry,
  exported: Set<string>,
): Promise<EntryLine["texts"] | null> {
  const texts: Record<string, string> = {}
  for (const hash of textHashes(kind, body)) {
    const text = exported.has(hash) ? null : await reader.text(hash)
    exported.add(hash)
    if (text !== null) texts[hash] = text
  }
  return Object.keys(texts).length === 0 ? null : texts
}

function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}
