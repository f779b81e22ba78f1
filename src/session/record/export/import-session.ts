import { createId } from "../../../kit/index.ts"
import { splitLines } from "../../../node/index.ts"
import { type RecordStore, recordLimits, type SessionRecord } from "../../../store/index.ts"
import { questionWithoutTrust, withoutTrust } from "./check-imported.ts"
import {
  type EntryLine,
  parseLine,
  type ReadEntry,
  readEntryLine,
  readQuestionLine,
  readSessionLine,
  refuseImport,
  requireName,
  type SessionLine,
} from "./session-lines.ts"

export interface ImportedSession {
  readonly name: string
  readonly entries: number
  readonly questions: number
}

/**
 * Imports what `exportSession` wrote, all of it or nothing: under its own name or another that is free. The session
 * gets that name when everything is in it.
 */
export async function importSession(
  store: RecordStore,
  bytes: AsyncIterable<Uint8Array>,
  wanted?: string | undefined,
): Promise<ImportedSession> {
  const lines = linesOf(bytes)[Symbol.asyncIterator]()
  let record: SessionRecord | null = null
  try {
    const first = await lines.next()
    if (first.done) throw refuseImport("the file is empty.")
    const session = readSessionLine(parseLine(first.value, 1))
    const name = requireName(wanted ?? session.name)
    if (session.entries > recordLimits.importEntries) {
      throw refuseImport(
        `the session has ${session.entries} entries, and at most ${recordLimits.importEntries} can be imported.`,
      )
    }
    if (await store.read(name)) {
      throw refuseImport(
        `there is a session ${JSON.stringify(name)} already. Choose another name with --name.`,
      )
    }
    record = await store.open(`importing ${createId("import")}`)
    await importLines(store, record, { session, lines })
    await record.rename(name)
    await record.close()
    return { name, entries: session.entries, questions: session.questions }
  } catch (error) {
    await record?.remove()
    throw error
  } finally {
    await lines.return?.(undefined)
  }
}

interface Lines {
  readonly session: SessionLine
  readonly lines: AsyncIterator<string>
}

async function importLines(
  store: RecordStore,
  record: SessionRecord,
  { session, lines }: Lines,
): Promise<void> {
  const { entries, questions } = session
  const batch = createBatch(record)
  let line = 1
  const next = async (what: string) => {
    const { done, value } = await lines.next()
    line += 1
    if (!done) return { text: value, value: parseLine(value, line) }
    throw refuseImport(`the file is cut off: it has ${what}.`)
  }
  for (let sequence = 1; sequence <= entries; sequence += 1) {
    const { text, value } = await next(`${sequence - 1} of ${entries} entries`)
    await batch.add(readEntryLine(value, { line, sequence }), text.length)
  }
  await batch.flush()
  for (let number = 0; number < questions; number += 1) {
    const { value } = await next(`${number} of ${questions} questions`)
    const { question, call, asked: askedAt, body, answer, taken } = readQuestionLine(value, line)
    // Of two sessions with the same question, an answer to one is not for the other.
    const id = (await store.question(question)) ? createId("question") : question
    await record.ask({ id, call, askedAt, body: questionWithoutTrust(body) })
    // An open question waits for an answer here.
    if (answer !== null && taken) await store.answer(id, answer)
    if (taken) await record.takeAnswer(id)
  }
  if (!(await lines.next()).done) {
    throw refuseImport(`line ${line + 1} comes after the last line that the first one announces.`)
  }
  await record.append([], session.state === "waiting" ? "waiting" : "idle")
}

const batchEntries = 500
const batchCharacters = 4 * 1024 * 1024

/** Few enough at once for any memory, and enough to be fast. */
function createBatch(record: SessionRecord) {
  let entries: ReadEntry["entry"][] = []
  let outputs: NonNullable<EntryLine["output"]>[] = []
  let texts: string[] = []
  let characters = 0
  const flush = async () => {
    if (entries.length > 0) await record.append(entries)
    for (const { call, head, tail, bytes } of outputs) {
      await record.putOutput(call, { head, tail, bytes })
    }
    if (texts.length > 0) await record.putTexts(texts)
    entries = []
    outputs = []
    texts = []
    characters = 0
  }
  return {
    flush,
    async add({ entry, output, texts: added }: ReadEntry, length: number) {
      entries.push(withoutTrust(entry))
      if (output) outputs.push(output)
      texts.push(...added)
      characters += length
      if (entries.length >= batchEntries || characters >= batchCharacters) await flush()
    },
  }
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  const split = splitLines(recordLimits.importLineBytes)
  let endsWithLine = true
  const checked = (lines: readonly (string | null)[]) =>
    lines.map((line) => {
      if (line !== null) return line
      throw refuseImport(`a line has more than ${recordLimits.importLineBytes} bytes.`)
    })
  for await (const piece of bytes) {
    if (piece.length === 0) continue
    endsWithLine = piece.at(-1) === 0x0a
    yield* checked(split(piece))
  }
  if (!endsWithLine) yield* checked(split(Buffer.from("\n")))
}
