export const storeLimits = {
  /** How long another process that changes the same file is waited for. */
  fileLockMs: 10_000,
  /** Pages of 4 KiB that a database's journal takes before it is written back, for which a commit waits. */
  walPages: 4_000,
  /** What an artifact takes beside its content. */
  artifactBytes: 16 * 1024,
} as const

/** What is recorded of sessions. */
export const recordLimits = {
  /** Of one session: 26 bits of a number that JavaScript keeps exactly; the others are the session's. */
  entries: 2 ** 26 - 1,
  /** The text of one entry, and from where on it is stored apart. */
  bodyCharacters: 64 * 1024 * 1024,
  inlineCharacters: 8 * 1024,
  /** Entries that are read at once, and from how much text on no more are. */
  page: 512,
  pageCharacters: 8 * 1024 * 1024,
  /** The newest entries of a session that are held while somebody follows it. */
  recentCharacters: 256 * 1024,
  /** How exactly a session's row says when it was last written to. */
  updatedMs: 100,
  /** The name of a session that is imported: as long as that of a task of a task of a task. */
  nameCharacters: 500,
  /** One line of a session that is imported, and how many entries it may have. */
  importLineBytes: 128 * 1024 * 1024,
  importEntries: 1_000_000,
  /** Sessions that a list shows. */
  listed: 100,
  /** How often a process looks for what others have written, while something in it waits for that. */
  lookMs: 100,
  /**
   * How often new entries of all sessions are put in order for those who follow them: less often where that would take more
   * than a share of the time; up to so many by their times.
   */
  orderMs: 50,
  orderMsMost: 500,
  orderShare: 0.1,
  orderedByTime: 1_000,
  /** What is recorded of a call's output: so much of its beginning, and of its end. */
  outputCharacters: 16 * 1024,
  /** How often output is recorded while a call runs. */
  outputMs: 200,
  /** How often it is recorded how much a call has printed; less often the longer it runs. */
  printedMs: 1_000,
  /** The same when the call has ended, of an output that is too long for its envelope for sure. */
  wholeCharacters: 256 * 1024,
  longOutputBytes: 32 * 1024,
  /** Such outputs, and the texts of files that the calls of one session have changed. */
  textCharacters: 64 * 1024 * 1024,
  /** How long what a sandbox tries to reach is collected at first, and when that goes on; and how many targets of it. */
  networkMs: 250,
  networkMostMs: 30_000,
  networkTargets: 50,
} as const

/** The record in PostgreSQL. */
export const postgresLimits = {
  /** After so long without a renewal another process may open a session; and how often all are renewed. */
  leaseMs: 15_000,
  renewMs: 5_000,
  /** How often a process looks for what others have written, while something in it waits for that. */
  lookMs: 1_000,
  connections: 8,
  connectMs: 5_000,
  idleMs: 30_000,
  statementMs: 30_000,
  /** How long a lost connection is tried again, with pauses from the first to the second; and so long when a session is closed. */
  repeatMs: 10_000,
  pauseMs: 50,
  pauseMostMs: 1_000,
  closeMs: 1_000,
} as const

/** What agents remember, in namespaces of entries. */
export const memoryLimits = {
  namespaceCharacters: 200,
  /** One entry always fits into one answer; what is longer belongs into a file. */
  entryBytes: 32_000,
  /** Entries that one read shows, and their text together. */
  entriesShown: 100,
  entriesShownMost: 1_000,
  shownBytes: 48_000,
  namespacesShown: 1_000,
  queryCharacters: 16_384,
  /** Different words of a query that are looked for. */
  queryWords: 32,
  /** A word that this many entries have does not choose among them; nor do all words beyond that. */
  frequentEntries: 2_000,
  /** How much of a query is embedded. */
  embeddedCharacters: 1_000,
  results: 10,
  resultsMost: 100,
  /** Longer entries are embedded, and shown as results, in pieces of at most this. */
  chunkCharacters: 400,
  /** How many of the nearest by sign bits are measured exactly, at least and for each result. */
  candidates: 200,
  candidatesPerResult: 10,
  /** Sign bits that a process keeps in memory, of 262,144 pieces with 512 numbers each; more are compared in the file. */
  signBytes: 16 * 1024 * 1024,
  /** After a write, before its embedding starts: a process that ends at once has not started it. */
  embedAfterMs: 200,
  /** What one request for embeddings holds. */
  batchChunks: 16,
  batchCharacters: 2_000,
  /** A search waits this long for entries that are not embedded yet, when they are at most this many. */
  settleMs: 2_000,
  settleChunks: 64,
  /** One request to an embeddings endpoint, how often it is tried, and how much it may answer. */
  endpointMs: 20_000,
  endpointTries: 3,
  endpointBytes: 16 * 1024 * 1024,
} as const
