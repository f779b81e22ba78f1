import { isObject, ToolFailure } from "../../contract/index.ts"
import type { RecordEntry, RecordReader, RecordStore } from "../../store/index.ts"
import type { CallEntries } from "../record/call-entries.ts"
import { findCall } from "../record/find-call.ts"
import { noSuchSession } from "../record/find-session.ts"
import { type ChangeDiff, createDiffs, textsIn } from "./diff-change.ts"
import { JoinedChanges, type NetChange } from "./join-changes.ts"
import { changesLimits } from "./limits.ts"
import { readTurns, type Turn, turnAround } from "./read-turns.ts"

/** Of one call, of the turn that an entry is in, or of the whole session. */
export type ChangesOf =
  | { readonly kind: "call"; readonly call: string }
  | { readonly kind: "turn"; readonly entry: number }
  | { readonly kind: "session" }

export interface SessionChanges {
  /** How many calls were looked at. */
  readonly calls: number
  readonly sandboxes: readonly SandboxChanges[]
  /** What a person has said in the session, the latest. */
  readonly turns: readonly Turn[]
}

export interface SandboxChanges {
  readonly sandbox: string
  readonly below: string | null
  /** How many paths there are; those beyond the limit are not in `files`. */
  readonly count: number
  readonly files: readonly (NetChange & { readonly diff: ChangeDiff })[]
  /** What else is to be known: what nobody could look at. */
  readonly notes: readonly string[]
}

interface FoundEffects {
  readonly session: string
  readonly at: number
  readonly body: CallEntries["call-effects"]
}

/** What calls did to the files of each sandbox, as one change for each path. */
export async function readChanges(
  store: RecordStore,
  session: string,
  of: ChangesOf,
): Promise<SessionChanges> {
  const reader = await store.read(session)
  if (!reader) throw await noSuchSession(store, session)
  const turns = await readTurns(reader)
  const readers = [reader]
  const found =
    of.kind === "call"
      ? await effectsOfCall({ reader, session }, of.call)
      : await effectsIn({ store, reader, session, readers }, rangeOf(of, turns))
  const sandboxes = new Map<string, JoinedChanges>()
  for (const { session: by, body } of found.sort((one, other) => one.at - other.at)) {
    const joined = sandboxes.get(body.sandbox) ?? new JoinedChanges(body.sandbox)
    sandboxes.set(body.sandbox, joined)
    joined.add(body, by)
  }
  const diffOf = createDiffs(textsIn(readers))
  const shown: SandboxChanges[] = []
  let room: number = changesLimits.files
  for (const joined of sandboxes.values()) {
    const { sandbox, below, changes, notes } = joined
    const files: (NetChange & { readonly diff: ChangeDiff })[] = []
    for (const change of changes.slice(0, room)) {
      files.push({ ...change, diff: await diffOf(change) })
    }
    room -= files.length
    shown.push({ sandbox, below, count: changes.length, files, notes })
  }
  const named = turns.slice(-changesLimits.turns)
  return { calls: found.length, sandboxes: shown, turns: named }
}

interface Range {
  readonly after: number
  readonly before: number
}

function rangeOf(of: Exclude<ChangesOf, { kind: "call" }>, turns: readonly Turn[]): Range {
  if (of.kind === "session") return { after: 0, before: Number.POSITIVE_INFINITY }
  const turn = turnAround(turns, of.entry)
  if (turn) return turn
  throw new ToolFailure({
    kind: "not_found",
    message: `Entry ${of.entry} is in no turn: a turn begins with what a person says.`,
  })
}

async function effectsOfCall(
  { reader, session }: Pick<Reading, "reader" | "session">,
  call: string,
): Promise<FoundEffects[]> {
  const found = await findCall(reader, call)
  if (!found) throw new ToolFailure({ kind: "not_found", message: `There is no call ${call}.` })
  const { effects } = found
  return effects && isEffects(effects) ? [{ session, at: effects.at, body: effects.body }] : []
}

interface Reading {
  readonly store: RecordStore
  readonly reader: RecordReader
  readonly session: string
  /** All that are read: a child's joins them. */
  readonly readers: RecordReader[]
}

/** Also those of tasks that ended in this range, which work in the same sandboxes. */
async function effectsIn(reading: Reading, { after, before }: Range): Promise<FoundEffects[]> {
  const { store, reader, session, readers } = reading
  const id = (await reader.session())?.id
  const found: FoundEffects[] = []
  for (let last = after; ; ) {
    const page = await reader.entries({ after: last })
    for (const entry of page) {
      if (entry.sequence >= before) return found
      if (isEffects(entry)) found.push({ session, at: entry.at, body: entry.body })
      const child = entry.kind === "child" && isObject(entry.body) ? entry.body.session : null
      if (typeof child !== "string" || readers.length >= changesLimits.tasks) continue
      const task = await store.read(child)
      // An entry may name anything: only what the record itself calls a task of this session belongs to it.
      if (!task || (await task.session())?.parent?.session !== id) continue
      readers.push(task)
      const whole = { after: 0, before: Number.POSITIVE_INFINITY }
      found.push(...(await effectsIn({ ...reading, reader: task, session: child }, whole)))
    }
    const newest = page.at(-1)
    if (!newest) return found
    last = newest.sequence
  }
}

/** What an import brings was checked. */
function isEffects(entry: RecordEntry): entry is RecordEntry & Pick<FoundEffects, "body"> {
  return entry.kind === "call-effects"
}
