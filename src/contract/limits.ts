/** Every deadline, size and count that the product promises, in one place. */
export const limits = {
  /** A tool that does not opt out is ended after this long. */
  toolTimeoutMs: 120_000,
  /** After a deadline, how long a tool may take to let go before it is left behind. */
  releaseGraceMs: 5_000,
  /** Between asking a process group to end and killing it. */
  terminateGraceMs: 3_000,
  /** How long a person may take to answer an approval. */
  approvalMs: 300_000,
  /** Text for a model is cut to its head and tail at this size. */
  textBytes: 50_000,
  /** A result's JSON is made to fit into this size. */
  resultBytes: 200_000,
  /** How much of each output stream a command keeps for a program. */
  outputBytes: 16 * 1024 * 1024,
  /** A call's input as JSON text. */
  inputBytes: 16 * 1024 * 1024,
  listingEntries: 500,
  warnings: 20,
  /** How much of a value a warning or an error may quote. */
  quotedCharacters: 40,
  pathBytes: 4096,
  pathPartBytes: 255,
  /** The limits of OpenRath's own result form. */
  openrath: { jsonCharacters: 48_000, fileCharacters: 12_000, entries: 500 },
} as const
