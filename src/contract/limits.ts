/** The limits of every call. Each folder above has its own in its `limits.ts`. */
export const limits = {
  /** A tool that does not opt out is ended after this long. */
  toolTimeoutMs: 120_000,
  /** After a deadline, how long a tool may take to let go before it is left behind. */
  releaseGraceMs: 3_500,
  /** Between asking a process group to end and killing it. */
  terminateGraceMs: 3_000,
  /** After killing, how long processes may take to be gone before they are left to the system. */
  killWaitMs: 2_000,
  /** How long a person may take to answer an approval. */
  approvalMs: 300_000,
  /** How long running calls may go on when the process is asked to stop. */
  stopMs: 5_000,
  /** The question that they are asked. */
  question: {
    /** In one message; for a longer question, the message lists its sections and says where the whole is. */
    messageCharacters: 16_000,
    /** With everything that would run. Nobody is asked about more: it is refused. */
    characters: 1024 * 1024,
    /** A line of it, so that none is broken again where it could look like another. */
    lineCharacters: 72,
    /** More spaces in a row than this are shown as their number. */
    spaces: 24,
    /** More lines in a row than this that are the same are shown as one. */
    sameLines: 3,
  },
  /** Text for a model is cut to its head and tail at this size. */
  textBytes: 50_000,
  /** A result's JSON is made to fit into this size. */
  resultBytes: 200_000,
  /** How much of each output stream a command keeps for a program. */
  outputBytes: 16 * 1024 * 1024,
  /** Files are read in pieces of this size, so that a huge one is never in memory. */
  chunkBytes: 64 * 1024,
  /** A call's input as JSON text. */
  inputBytes: 16 * 1024 * 1024,
  /** Objects and arrays of a call's input in each other. */
  inputDepth: 64,
  /**
   * Steps of one check, each of which applies one schema to one value: as many as any check may take, for each value in the input, and at
   * most.
   */
  checkSteps: { always: 250_000, perValue: 200, most: 20_000_000 },
  listingEntries: 500,
  warnings: 20,
  /** One warning; a longer one is cut to its head and tail. */
  warningBytes: 2_000,
  /** How much of a value a warning or an error may quote. */
  quotedCharacters: 40,
  pathBytes: 4096,
  pathPartBytes: 255,
  /** The limits of OpenRath's own result form. */
  openrath: { jsonCharacters: 48_000, fileCharacters: 12_000, entries: 500 },
} as const

/** The limits of a session's calls that a configuration can change. */
export interface CallLimits {
  /** Text for a model is cut to its head and tail at this size. */
  readonly textBytes: number
  /** A result's JSON is made to fit into this size. */
  readonly resultBytes: number
  /** A tool without a deadline of its own is ended after this long. */
  readonly timeoutMs: number
  /** A command of shell.exec is ended after this long when its call names no timeout; null for never. */
  readonly commandTimeoutMs: number | null
}

export const defaultCallLimits: CallLimits = {
  textBytes: limits.textBytes,
  resultBytes: limits.resultBytes,
  timeoutMs: limits.toolTimeoutMs,
  commandTimeoutMs: null,
}
