export const storeLimits = {
  /** How long another process that changes the same file is waited for. */
  fileLockMs: 10_000,
  /** What an artifact takes beside its content. */
  artifactBytes: 16 * 1024,
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
  /** A word that so many entries have does not choose among them; nor do all words beyond that. */
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
  /** How long another process that writes is waited for. */
  lockMs: 10_000,
  /** After a write, before its embedding starts: a process that ends at once has not started it. */
  embedAfterMs: 200,
  /** What one request for embeddings holds. */
  batchChunks: 16,
  batchCharacters: 2_000,
  /** A search waits this long for entries that are not embedded yet, when they are at most so many. */
  settleMs: 2_000,
  settleChunks: 64,
  /** One request to an embeddings endpoint, how often it is tried, and how much it may answer. */
  endpointMs: 20_000,
  endpointTries: 3,
  endpointBytes: 16 * 1024 * 1024,
} as const
