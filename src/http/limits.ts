/** What the HTTP API holds its clients to. */
export const httpLimits = {
  /** A JSON body. Files are streamed and have the limits of their sandbox. */
  bodyBytes: 8 * 1024 * 1024,
  /** Sign-in codes that are valid at once, and for how long each is. */
  codes: 32,
  codeMs: 10 * 60_000,
  /** Tries to sign in with a code. */
  redeemRate: { everySecond: 0.5, atOnce: 10 },
  tokens: 1_000,
  /** Sessions that are open, those of MCP clients included. */
  sessions: 1_000,
  /** Requests of one token. */
  requestRate: { everySecond: 500, atOnce: 1_000 },
  /** Event streams that are open at once, in all and of one token. */
  streams: 400,
  streamsOfToken: 250,
  /** Terminals that are open at once, and sockets that have sent no ticket yet. */
  terminals: 64,
  terminalStrangers: 32,
  /** How long the ticket of a terminal is valid, and how long a socket may take to send it. */
  terminalTicketMs: 10_000,
  /** Output that a client has not acknowledged, and input that a program has not taken. No frame is larger. */
  terminalWindowBytes: 128 * 1024,
  /** A message about a terminal, such as its size. */
  terminalMessageCharacters: 1_024,
  /** How often a client is asked whether it is there. */
  terminalPingMs: 15_000,
  /** How long a client may take to close its side. */
  terminalCloseMs: 1_000,
  /** How often a stream without events says that it is alive. */
  heartbeatMs: 15_000,
  /** How often the record is looked at for what other processes changed in sessions, while somebody watches. */
  lookMs: 500,
  /** Live output that waits for a slow reader; the oldest is dropped, and the reader is told how much. */
  liveOutputBytes: 256 * 1024,
  /** Entries of a directory that are listed. */
  directoryEntries: 10_000,
  /** One piece of a file that is downloaded. */
  fileBytes: 1024 * 1024,
  /** A file that is uploaded. */
  uploadBytes: 2 * 1024 ** 3,
} as const
