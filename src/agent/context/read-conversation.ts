import type { RecordReader, SessionRecord } from "../../store/index.ts"
import {
  addSpent,
  nothingSpent,
  type RecordedAgentEntry,
  type RecordedFiles,
  type RunEnd,
  type Spent,
  type StartedRun,
} from "../entries.ts"
import type { Message } from "../messages.ts"

/** What the next request is built from, and where the run is. */
export interface Conversation {
  /** Since the beginning, or since what the last summary stands for. */
  readonly turns: readonly Turn[]
  readonly summary: string | null
  /** Results that are shown as another text, by the ids of their calls. */
  readonly edited: ReadonlyMap<string, string>
  /** The last run, and how it ended. */
  readonly run: CurrentRun | null
  readonly spent: Spent
  /** What was last recorded of the sandboxes' files. */
  readonly files: RecordedFiles | null
  /** The sequence number where the present branch begins; 0 when there is only one. */
  readonly branchedAt: number
}

export interface Turn {
  readonly sequence: number
  readonly message: Message
  /** Calls whose arguments the model did not finish. */
  readonly cutOff: readonly string[]
}

export interface CurrentRun extends StartedRun {
  readonly end: RunEnd | null
}

/** The last run of a session and how it ended; null where there was none. */
export async function readRun(record: RecordReader): Promise<CurrentRun | null> {
  return (await readPath(record)).reduce(addEntry, nothing).run
}

/** Reads a conversation from the record: at first as far back as the context needs, then only what is new. */
export class ConversationReader {
  readonly #record: SessionRecord
  #conversation: Conversation | null = null
  #last = 0
  /** Up to which milestone it was read. */
  #milestone = 0

  constructor(record: SessionRecord) {
    this.#record = record
  }

  async read(): Promise<Conversation> {
    const { milestone } = this.#record.head()
    if (this.#conversation && milestone === this.#milestone) return this.#conversation
    const added = this.#conversation ? await this.#readAdded() : null
    const isSame = added?.every(({ kind }) => kind !== "branched")
    const entries = isSame && added ? added : await readPath(this.#record)
    const before = isSame && this.#conversation ? this.#conversation : nothing
    this.#conversation = entries.reduce(addEntry, before)
    this.#last = entries.at(-1)?.sequence ?? this.#last
    this.#milestone = milestone
    return this.#conversation
  }

  /** Frees what was read; the next caller reads it again (bench: session-loop-memory). */
  forget(): void {
    this.#conversation = null
  }

  /** Appends to the record; what was read before and is added now does not have to be read again. */
  async append(...given: Parameters<SessionRecord["append"]>): Promise<void> {
    const before = this.#record.head()
    const added = (await this.#record.append(...given)) as readonly RecordedAgentEntry[]
    const isRead = before.milestone === this.#milestone && this.#last <= before.milestone
    const isNext = added[0]?.sequence === before.entry + 1
    const isPlain = added.every(({ kind }) => kind !== "branched")
    if (!this.#conversation || !isRead || !isNext || !isPlain) return
    this.#conversation = added.reduce(addEntry, this.#conversation)
    this.#last = added.at(-1)?.sequence ?? this.#last
    this.#milestone = this.#last
  }

  async #readAdded(): Promise<readonly RecordedAgentEntry[]> {
    const all: RecordedAgentEntry[] = []
    for (let after = this.#last; ; ) {
      const page = await this.#record.entries({ after, milestones: true })
      all.push(...(page as RecordedAgentEntry[]))
      const newest = page.at(-1)
      if (!newest || newest.sequence >= this.#record.head().milestone) return all
      after = newest.sequence
    }
  }
}

const nothing: Conversation = {
  ...{ turns: [], summary: null, edited: new Map(), run: null },
  ...{ spent: nothingSpent, files: null, branchedAt: 0 },
}

function addEntry(before: Conversation, entry: RecordedAgentEntry): Conversation {
  const { sequence, at } = entry
  switch (entry.kind) {
    case "run": {
      const run = { sequence, startedAt: at, start: entry.body, end: null }
      return { ...before, run, spent: nothingSpent }
    }
    case "run-ended":
      return before.run ? { ...before, run: { ...before.run, end: entry.body } } : before
    case "message": {
      const { message, cutOff = [] } = entry.body
      const { spent = saidTo(before.spent, message) } = entry.body
      return { ...before, turns: [...before.turns, { sequence, message, cutOff }], spent }
    }
    case "child":
      return { ...before, spent: addSpent(before.spent, entry.body.spent) }
    case "edit": {
      const { results, summary, spent = before.spent } = entry.body
      const edited = new Map([...before.edited, ...Object.entries(results)])
      if (!summary) return { ...before, edited }
      const turns = before.turns.filter((turn) => turn.sequence >= summary.keepFrom)
      const run = before.run ?? { ...summary.run, end: null }
      return { ...before, edited, turns, run, spent, summary: summary.text }
    }
    case "checkpoint":
      return { ...before, files: entry.body }
    case "branched":
      return { ...before, branchedAt: sequence }
    default:
      // Other kinds, also those of later versions, are not part of the conversation.
      return before
  }
}

/** A person's message begins a new turn. */
function saidTo(spent: Spent, { role }: Message): Spent {
  return role === "user" ? { ...spent, commands: 0 } : spent
}

/** The milestones of a branch, the oldest first: the whole of it, or back to what the last summary leaves. */
export async function readPath(
  record: RecordReader,
  from: { readonly before?: number; readonly isWhole?: boolean } = {},
): Promise<readonly RecordedAgentEntry[]> {
  const path: RecordedAgentEntry[] = []
  let { before = Number.MAX_SAFE_INTEGER } = from
  let floor: number | null = null
  for (;;) {
    const page = (await record.entries({ before, milestones: true })) as RecordedAgentEntry[]
    for (const entry of page) {
      // What lies between a branch and its parent belongs to another branch.
      if (entry.sequence >= before) continue
      if (floor !== null && entry.sequence < floor) return path.reverse()
      path.push(entry)
      before = entry.kind === "branched" ? (entry.parent ?? 0) + 1 : entry.sequence
      const isFloor = entry.kind === "edit" && entry.body.summary && !from.isWhole
      if (isFloor) floor ??= entry.body.summary?.keepFrom ?? null
    }
    if (page.length === 0) return path.reverse()
  }
}
