/** Every deadline, size and count that the product promises, in one place. */
export const limits = {
  /** A tool that does not opt out is ended after this long. */
  toolTimeoutMs: 120_000,
  /** After a deadline, how long a tool may take to let go before it is left behind. */
  releaseGraceMs: 3_500,
  /** Between asking a process group to end and killing it. */
  terminateGraceMs: 3_000,
  /** After killing, how long processes may take to be gone before they are left to the system. */
  killWaitMs: 2_000,
  /** After a command's exit, how long a child that holds its output open is waited for. */
  drainMs: 200,
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
  /** Objects and arrays of a call's input in each other. */
  inputDepth: 64,
  listingEntries: 500,
  warnings: 20,
  /** How much of a value a warning or an error may quote. */
  quotedCharacters: 40,
  pathBytes: 4096,
  pathPartBytes: 255,
  /** A policy file, and one pattern on arguments in it. */
  policy: {
    fileCharacters: 256 * 1024,
    expressionCharacters: 1_000,
  },
  /** What the file tools read, edit and show. */
  file: {
    /** Files are read in pieces of this size, so that a huge one is never in memory. */
    chunkBytes: 64 * 1024,
    /** base64 makes 4 characters of 3 bytes, and has to fit into `textBytes`. */
    base64Bytes: 37_500,
    /** A file that is edited is in memory twice. */
    editBytes: 10 * 1024 * 1024,
    edits: 100,
    diffBytes: 20_000,
    /** Changed lines beyond which a diff is not worth its time. */
    diffLines: 1_000,
    listingEntriesMost: 2_000,
    /** The JSON of a list's entries, so that it fits into a result with room to spare. */
    listingBytes: 150_000,
    patternCharacters: 500,
    /** How many plain patterns the braces of one glob may stand for. */
    patternAlternatives: 50,
  },
  search: {
    matches: 100,
    matchesMost: 1_000,
    contextLines: 20,
    lineCharacters: 500,
    /** A longer line of ripgrep's output is dropped and counted. */
    recordBytes: 1024 * 1024,
    /** At a line of its output longer than this, a search stops: its file has no lines. */
    recordBytesMost: 32 * 1024 * 1024,
    /** How many files a glob may choose for one search. */
    files: 100_000,
    /** File names given to one run of ripgrep; systems refuse longer argument lists. */
    argumentBytes: 64 * 1024,
  },
  /** What one sandbox with real processes may use of the machine. */
  sandbox: {
    memoryBytes: 2 * 1024 ** 3,
    /** Below the memory, which a full temporary directory is counted as. */
    temporaryBytes: 512 * 1024 ** 2,
    processes: 512,
    /** Of these, kept for the agent, so that a command can be ended that takes all others. */
    processesReserved: 32,
    processors: 2,
    /** What a home's files may take together, in bytes and in number. */
    diskBytes: 10 * 1024 ** 3,
    files: 1_000_000,
    /** What can be wished for one sandbox. */
    memoryBytesLeast: 32 * 1024 ** 2,
    diskBytesLeast: 1024 ** 2,
    diskBytesMost: 16 * 1024 ** 4,
    /** Above those that are reserved. */
    processesLeast: 48,
    processesMost: 32_768,
    processorsLeast: 0.05,
    /** How often the agent is asked whether a running command is over without having said so. */
    askMs: 1_000,
    /** An agent that answers none of so many is taken for stopped. */
    silentAsks: 20,
    /** Outputs of ended commands that what they left behind may hold open; beyond, the oldest is closed. */
    outputsLeftOpen: 512,
    /** A file or a listing that is read whole; more would be this process's memory. */
    readBytes: 128 * 1024 ** 2,
    /** Background processes that are over and still listed; beyond, the oldest is forgotten. */
    endedProcesses: 100,
    /** Snapshots on each other; beyond, all files are copied into one first. */
    snapshotDepth: 12,
    /** How much of a background process's output is read at once when nothing is said. */
    processOutputBytes: 1024 ** 2,
  },
  /** The named sandboxes of one session. */
  pool: {
    sandboxes: 64,
    /** Without use for so long, a sandbox goes to sleep. */
    sleepAfterMs: 600_000,
    sleepAfterMsLeast: 1_000,
    /** Tool calls that run commands in one turn of an agent. */
    commandsPerTurn: 100,
  },
  /** What a sandbox whose network is an allow-list of domains may ask of the proxy. */
  network: {
    /** Domains in one allow-list. */
    rules: 1_000,
    /** At once, from one sandbox; more are closed. */
    connections: 256,
    /** The headers of one request or response. */
    headerBytes: 32 * 1024,
    /** How long a request's headers may take. */
    headerMs: 30_000,
    /** A connection on which nothing moves is closed after this long. */
    idleMs: 600_000,
    lookupMs: 10_000,
    /** How long one address of a name may take to answer, and how many are tried. */
    connectMs: 10_000,
    addressesTried: 4,
    /** Where the proxy is reached inside: below the ports that systems hand out themselves. */
    port: 17_580,
    /** How long what leads to the proxy may take to start inside. */
    readyMs: 20_000,
    /** Before it is started again when it has ended. */
    restartMs: 200,
  },
  /** How a sandbox's use of the disk is watched. */
  disk: {
    /** How often free space is looked at while something runs, and while nothing does. */
    watchMs: 200,
    idleWatchMs: 1_000,
    /** How long a measurement of the home holds while free space says nothing. */
    measureMs: 5_000,
    /** Changes below these are not worth a measurement. */
    leastStepBytes: 1024 ** 2,
    leastStepFiles: 1_000,
    /** What sandboxes leave free of the machine's disk. */
    freeBytes: 256 * 1024 ** 2,
  },
  docker: {
    /** How long the engine may take to answer one request. */
    requestMs: 60_000,
    /** How long a started container may take until it takes commands. */
    readyMs: 30_000,
  },
  command: {
    characters: 1_000_000,
    /** A program given as text is one argument, and systems refuse longer ones. */
    codeBytes: 100_000,
    timeoutMsMost: 86_400_000,
    /** Below `textBytes` by the room for a note on what was left out or why it ended. */
    streamBytes: 49_000,
    /** How much later than a host's own deadline the tool stops waiting for it. */
    lateMs: 5_000,
  },
  /** How the conformance suite measures a host. */
  conformance: {
    /** Every check is ended after this long. */
    checkMs: 30_000,
    /** How long making or destroying a sandbox may take. */
    lifeMs: 10_000,
    concurrency: 4,
    /** How much later than its deadline a command may end on a busy machine. */
    lateMs: 3_000,
    /** How long a file must not grow before its writer counts as ended. */
    stillMs: 300,
  },
  /** The host that runs virtual bash in this process. */
  memoryHost: {
    diskBytes: 256 * 1024 * 1024,
    /** What each name on the disk is charged beside its content. */
    entryBytes: 512,
    linksFollowed: 40,
    /** How much memory one command may use. */
    memoryBytes: 512 * 1024 * 1024,
    /** How often a running command's memory is looked at. */
    memoryCheckMs: 25,
    /** Commands that run at once; more wait. */
    threads: 8,
    idleThreads: 2,
    /** What waiting for a thread may take beyond the time that the command has itself. */
    startMs: 2_000,
    /** After its deadline, how long a command may take to hand over what it has printed. */
    partialOutputMs: 200,
  },
  /** What an MCP client may send, and what it is sent. */
  mcp: {
    /** One message; larger ones are answered with an error and dropped. */
    messageBytes: 16 * 1024 * 1024,
    /** Requests of one client that wait for their answers; more are not read until then. */
    requests: 256,
    /** Of them, calls; more are refused until one has ended. */
    calls: 64,
    /** At the least between two notifications with live output. */
    outputEveryMs: 25,
    /** Live output in one notification, and for one call in all; the result has the rest. */
    outputBytes: 16 * 1024,
    outputBytesMost: 1024 * 1024,
    /** How often a client hears that a call is still under way. */
    keepAliveMs: 10_000,
    /** Images and sound are part of a result up to this size, texts up to the other; beyond, links are. */
    mediaBytes: 4 * 1024 * 1024,
    embeddedBytes: 32 * 1024,
    /** Artifacts that one result shows. */
    artifacts: 16,
    /** How much of an artifact can be read as a resource. */
    resourceBytes: 16 * 1024 * 1024,
    /** Where the HTTP server listens when that port is free. */
    port: 7700,
    /** Clients of one HTTP server, and how long one may do nothing before it is forgotten. */
    clients: 256,
    clientIdleMs: 30 * 60_000,
    clientSweepMs: 60_000,
    /** Requests of one client a second, and how many may come at once after a rest. */
    requestRate: { everySecond: 500, atOnce: 2_000 },
    /** The same for requests without a valid token, of all together. */
    strangerRate: { everySecond: 5, atOnce: 50 },
    /** What was sent to a client and can be sent again to one that lost its connection. */
    replayBytes: 8 * 1024 * 1024,
    /** How long calls under way may go on when the server stops. */
    stopMs: 5_000,
  },
  /** The limits of OpenRath's own result form. */
  openrath: { jsonCharacters: 48_000, fileCharacters: 12_000, entries: 500 },
} as const
