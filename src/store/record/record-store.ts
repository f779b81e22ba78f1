/** One entry of a session's record. Entries are only ever added. */
export interface RecordEntry {
  /** Of this entry alone: the session's id and the sequence number. */
  readonly id: string
  readonly sequence: number
  /** The sequence number of the entry that this one follows in the tree; null for the first. */
  readonly parent: number | null
  readonly kind: string
  /** Milliseconds since 1970. Order is by sequence, never by this. */
  readonly at: number
  /** JSON. */
  readonly body: unknown
  readonly isMilestone?: true
}

/** One that begins something, which has not ended. */
export interface UnclosedEntry extends RecordEntry {
  readonly key: string
}

export interface NewEntry {
  readonly kind: string
  readonly at: number
  readonly body: unknown
  /** The earlier entry where it branches off; the session's last one when absent. */
  readonly parent?: number | null | undefined
  /** Whether it is one of the few that a conversation is read from: those are found without reading the others. */
  readonly isMilestone?: boolean | undefined
  /** Begins something that an entry with the same key in `closes` ends; until then it is among the `unclosed`. */
  readonly opens?: string | undefined
  readonly closes?: string | undefined
}

/** What is known of a session without reading its entries. */
export interface RecordedSession {
  readonly id: string
  readonly name: string
  /** The session and the call that this one is the child of. */
  readonly parent: { readonly session: string; readonly call: string } | null
  readonly state: SessionState
  /** The sequence number of its last entry; 0 when it has none. */
  readonly head: number
  readonly createdAt: number
  readonly updatedAt: number
  /** The process that has it open, which may have died; null when it was closed. */
  readonly owner: string | null
}

/** Whether an agent works in it, waits for a person, or neither. */
export type SessionState = "idle" | "running" | "waiting"

export interface EntryQuery {
  /** Only entries after this sequence number. */
  readonly after?: number | undefined
  /** Only milestones. */
  readonly milestones?: boolean | undefined
  /** Only entries before this one; the newest first. */
  readonly before?: number | undefined
  readonly limit?: number | undefined
}

/** The beginning and the end of what a call printed, and how much that was in all. */
export interface CallOutput {
  readonly head: string
  readonly tail: string
  readonly bytes: number
}

/** A question to a person, which may be answered by another process than the one that asks. */
export interface RecordedQuestion {
  readonly id: string
  readonly session: string
  readonly call: string
  readonly askedAt: number
  /** What the person is shown, as JSON. */
  readonly body: unknown
  /** JSON; null while nobody has answered. */
  readonly answer: unknown
}

/** Reads a session, whichever process writes it. */
export interface RecordReader {
  /** As it is now; null when it was deleted. */
  session(): Promise<RecordedSession | null>
  /**
   * In the order of their sequence numbers, or from `before` backwards. Fewer than `limit` where they are large, so
   * that only an answer without entries says that there are no more.
   */
  entries(query?: EntryQuery): Promise<readonly RecordEntry[]>
  /** What was begun and not ended, the oldest first. */
  unclosed(): Promise<readonly UnclosedEntry[]>
  /**
   * Gives every entry after a sequence number, then each new one as it is written, until the signal aborts or the session
   * is deleted.
   */
  follow(query: {
    readonly after: number
    readonly signal?: AbortSignal
  }): AsyncIterable<RecordEntry>
  output(call: string): Promise<CallOutput | null>
  /** A text by its hash; null where the session has none. */
  text(hash: string): Promise<string | null>
  /** Questions whose answer has not taken effect yet, the oldest first. */
  openQuestions(): Promise<readonly RecordedQuestion[]>
  /** All of them, the oldest first. */
  questions(): Promise<readonly RecordedQuestion[]>
}

/**
 * Writes a session. Each method resolves when what it wrote survives the end of this process, and is refused once the
 * session was opened again: of two writers only the later one writes.
 */
export interface SessionRecord extends RecordReader {
  readonly id: string
  readonly name: string
  /**
   * The sequence numbers of the last entry and of the last milestone, which may be behind. Nothing is
   * read for it: a writer is the only one.
   */
  head(): RecordHead
  /** All of them or none. */
  append(entries: readonly NewEntry[], state?: SessionState): Promise<readonly RecordEntry[]>
  putOutput(call: string, output: CallOutput): Promise<void>
  /** Stores texts, each once, and gives their hashes; null for each that the session has no room for. */
  putTexts(texts: readonly string[]): Promise<readonly (string | null)[]>
  ask(question: Pick<RecordedQuestion, "id" | "call" | "body" | "askedAt">): Promise<void>
  /** The answer takes effect: the question is not open any more. */
  takeAnswer(question: string): Promise<void>
  /** The answer to a question, once there is one; null when the signal aborts before. */
  answerTo(question: string, signal: AbortSignal): Promise<unknown>
  /** Resolves when what was written also survives the end of the machine. */
  sync(): Promise<void>
  /** Lets other processes open the session. */
  close(): Promise<void>
  /** Gives the session another name; refused where there is a session of that name. */
  rename(name: string): Promise<void>
  /** Deletes the session and its children; refused while another living process has one of them open. */
  remove(): Promise<void>
}

export interface RecordHead {
  readonly entry: number
  readonly milestone: number
}

/** An entry with its position among the entries of all sessions. */
export interface PositionedEntry {
  /** Positions only ever grow, also over deleted sessions; those of one session are in the order of its entries. */
  readonly position: number
  readonly session: Pick<RecordedSession, "id" | "name" | "parent">
  readonly entry: RecordEntry
}

export interface NewSession {
  readonly parent?: RecordedSession["parent"] | undefined
}

export interface SessionQuery {
  /** Only the children of the session with this id; null for those that have no parent. */
  readonly parent?: string | null | undefined
  /** Only those that nobody has written to since. */
  readonly updatedBefore?: number | undefined
  readonly state?: SessionState | undefined
  readonly limit?: number | undefined
}

export interface PositionQuery {
  readonly after: number
  readonly limit?: number | undefined
}

/** Where sessions are recorded. */
export interface RecordStore extends AsyncDisposable {
  /** Opens a session to write it, and creates it if missing. Refused while another living process has it open. */
  open(name: string, options?: NewSession): Promise<SessionRecord>
  /** Reads a session; null when there is none of this name. */
  read(name: string): Promise<RecordReader | null>
  /** The latest first. */
  sessions(query?: SessionQuery): Promise<readonly RecordedSession[]>
  /**
   * Lets others open a session whose process can't be known to have ended, such as one of another machine. If that
   * process still runs, it can't write any more. False when there is none of this name.
   */
  release(name: string): Promise<boolean>
  /** Deletes a session and its children; false when there is none, refused while one of them is open. */
  remove(name: string): Promise<boolean>
  /** The position of the last entry of all sessions; 0 where there never was one. */
  position(): Promise<number>
  /**
   * The entries of all sessions after a position. Fewer than `limit` where they are large, so that only an answer without
   * entries says that there are no more.
   */
  entries(query: PositionQuery): Promise<readonly PositionedEntry[]>
  /** Gives every entry of all sessions after a position, then each new one, whichever process writes it, until the signal aborts. */
  follow(query: {
    readonly after: number
    readonly signal?: AbortSignal
  }): AsyncIterable<PositionedEntry>
  /** Answers a question once; false when it was answered before, or was never asked. */
  answer(question: string, answer: unknown): Promise<boolean>
  question(id: string): Promise<RecordedQuestion | null>
  /** Lets other processes open the sessions that it has open. */
  close(): Promise<void>
}
