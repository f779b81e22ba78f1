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
  /** Event streams that are open at once, in all and of one token, which so leaves some to the others. */
  streams: 640,
  streamsOfToken: 250,
  /** Sockets that have not said yet who they are, and how long one may take. */
  socketStrangers: 32,
  socketStrangerMs: 10_000,
  /** Terminals that are open at once, and how long the ticket of one is valid. */
  terminals: 64,
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
  /** How long a reader may take nothing before it loses its connection. */
  streamStallMs: 60_000,
  /** Entries are gathered for so long for each stream that is open, at most so long; so many are sent at once. */
  streamPauseMsEach: 2,
  streamPauseMs: 500,
  streamEntries: 512,
  /** Entries of a session that are held as they were sent, for streams that are a little behind. */
  streamHeldBytes: 1024 * 1024,
  /**
   * Output of running calls is sent so often, and where it is more than anybody can read, so often: of each call at most
   * so much, the end of it. So many of these wait for a slow reader. What is left out is counted for the reader.
   */
  liveOutputMs: 100,
  liveFloodMs: 250,
  liveOutputBytes: 16 * 1024,
  liveOutputsWaiting: 8,
  /** What a model writes: how much of it waits for a slow reader, and what those get who come later. */
  modelTextCharacters: 64 * 1024,
  /** Of the message of an error in a pattern, and of its line. */
  patternProblemCharacters: 64 * 1024,
  /** How often a run that waits looks whether another process has got its answer. */
  answerLookMs: 1_000,
  /** Messages of a pattern's page that are held for readers who come back: so many, and so large together. */
  patternMessages: 1_000,
  patternMessageBytes: 8 * 1024 * 1024,
  /** How long an event of such a page waits for the one before it, and how many pages are known by the order of theirs. */
  patternOrderMs: 2_000,
  patternSenders: 256,
  /** Checkpoints whose files somebody looks at, and how long one is kept after the last look. */
  pastFiles: 4,
  pastFilesMs: 60_000,
  /** One piece of what a background process has written. */
  processOutputBytes: 64 * 1024,
  /** Addresses of artifacts that are valid at once, and for how long each is. */
  artifactTickets: 64,
  artifactTicketMs: 30_000,
  /** What one answer says of a sandbox's past, and how many entries of the record are read for it at most. */
  historyPage: 200,
  historyEntries: 5_000,
  /** Entries of a directory that are listed. */
  directoryEntries: 10_000,
  /** One piece of a file that is downloaded. */
  fileBytes: 1024 * 1024,
  /** A file that is uploaded. */
  uploadBytes: 2 * 1024 ** 3,
  /** Of the sandboxes that clients of other sandbox APIs have: how long one may live, and when one is tried again that could not be ended then. */
  apiSandboxLifeMs: 30 * 86_400_000,
  apiExpiryRetryMs: 10_000,
  /** Commands of one such sandbox that are remembered. */
  apiCommands: 256,
  /** What the record has of each stream of such a command; its client gets all of it. */
  apiRecordedBytes: 16 * 1024,
  /** One piece of what a command in the background has written. */
  apiLogBytes: 4 * 1024 * 1024,
  /** The descriptions of files in one answer, and the files that one search finds. */
  apiListingBytes: 8 * 1024 * 1024,
  apiSearchFiles: 2_000,
  /** Events of a command that wait for a slow reader; a line that is longer is sent in pieces. */
  apiEventBytes: 256 * 1024,
  apiLineCharacters: 256 * 1024,
  /** What is said of a file that is uploaded. */
  apiMetadataBytes: 64 * 1024,
  /** Of E2B's API: how long a sandbox lives whose client says nothing else. */
  e2bLifeMs: 300_000,
  /** Output of a process that a listener has not taken. The process waits for the slowest. */
  e2bUnreadBytes: 1024 * 1024,
  /** How often a directory that is watched is looked at. */
  e2bWatchMs: 250,
  /** Watchers of one sandbox whose events wait, and how many do. */
  e2bWatchers: 16,
  e2bWatcherEvents: 10_000,
  /** Files of one form. */
  e2bFiles: 1_000,
  /** Access tokens that can sign addresses of files, and how often one is asked for by its signature. */
  e2bSigners: 1_000,
  e2bSignedRate: { everySecond: 50, atOnce: 100 },
  /** For how long the use of processors is measured. */
  e2bMeasureMs: 200,
} as const
