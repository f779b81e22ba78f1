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
  /** How long another process that changes the same file is waited for. */
  fileLockMs: 10_000,
  /** How long a person may take to answer an approval. */
  approvalMs: 300_000,
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
    /** In a bigger file, lines are looked for by the sandbox's own programs, where it has some. */
    nearBytes: 256 * 1024,
    /** How much of a file tells what it holds. */
    guessBytes: 4_096,
    /** base64 makes 4 characters of 3 bytes, and has to fit into `textBytes`. */
    base64Bytes: 37_500,
    /** A file that is edited is in memory twice. */
    editBytes: 10 * 1024 * 1024,
    edits: 100,
    /** By all edits of one call together. */
    replacements: 1_000_000,
    /** A patch as text, the files that it may change, and their bytes together. */
    patchCharacters: 4_000_000,
    patchFiles: 500,
    patchBytes: 32 * 1024 * 1024,
    /** How far from the line that it names a hunk may be found. */
    patchOffsetLines: 200,
    diffBytes: 20_000,
    /** Changed lines beyond which a diff is not worth its time. */
    diffLines: 1_000,
    /** A file with more lines gets no diff, and comparing the lines of others ends after this long. */
    diffFileLines: 500_000,
    diffMs: 500,
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
    /** What can be requested for one sandbox. */
    memoryBytesLeast: 32 * 1024 ** 2,
    diskBytesLeast: 1024 ** 2,
    diskBytesMost: 16 * 1024 ** 4,
    /** Above those that are reserved. */
    processesLeast: 48,
    processesMost: 32_768,
    processorsLeast: 0.05,
    /** How long a new agent may take to answer. */
    readyMs: 60_000,
    /** Directories of this machine that one sandbox shows. */
    mounts: 64,
    /** How often the agent is asked whether a running command is over without having said so. */
    askMs: 1_000,
    /** An agent that answers none of so many is taken for stopped. */
    silentAsks: 10,
    /** The same while a command is being ended: its deadline has passed, and the agent has so long to say anything. */
    agentAnswerMs: 1_200,
    /** More commands than this at once in one sandbox, and the agent gets the whole time of a command that is being ended. */
    crowdCommands: 100,
    /** Questions about a command that was killed, each with that time, while no other ends; then all are killed. */
    killAsks: 4,
    /** How long an agent that is being killed, with all that is inside, is waited for. */
    agentEndMs: 400,
    /** Runs about which an agent may still say something; beyond, the oldest is forgotten. */
    owedAnswers: 65_536,
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
  /** What a sandbox's image may be: a root file system, alone or in layers. */
  sandboxImage: {
    /** Unpacking it, from the first byte of its file to the last of its layers. */
    unpackMs: 600_000,
    /** An archive or a layer, once it is decompressed. */
    unpackedBytes: 32 * 1024 ** 3,
    /** A manifest is a list of layers; nothing that is larger is one. */
    manifestBytes: 8 * 1024 ** 2,
    layers: 512,
    searchPathBytes: 4_096,
  },
  /** The named sandboxes of one session. */
  pool: {
    sandboxes: 64,
    /** Without use for so long, a sandbox goes to sleep. */
    sleepAfterMs: 600_000,
    sleepAfterMsLeast: 1_000,
    sleepAfterMsMost: 86_400_000,
    /** How long a tool may take to hand a tree from one sandbox to another. */
    transferMs: 600_000,
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
    /** Of one name; a name with more is refused, because each one has to be checked. */
    addresses: 128,
    /** Interim answers (100 to 199) that a server may send before its answer. */
    interimAnswers: 16,
    /** Where the proxy is reached inside: below the ports that systems hand out themselves. */
    port: 17_580,
    /** How long what leads to the proxy may take to start inside. */
    readyMs: 20_000,
    /** Before it is started again when it has ended. */
    restartMs: 200,
  },
  /** What a browser may ask of the servers inside a session's sandboxes. */
  preview: {
    /** To servers inside at once; each takes three of its sandbox's processes. */
    connections: 64,
    /** From browsers at once, those that wait for a next request among them. */
    clients: 256,
    /** The headers of one request or response. */
    headerBytes: 64 * 1024,
    /** How long a request's headers may take. */
    headerMs: 30_000,
    /** How long a sandbox may take to wake and to connect. */
    connectMs: 30_000,
    /** A connection on which nothing moves is closed after this long; a WebSocket is not. */
    idleMs: 600_000,
    /** How long a server inside is waited for when nothing is said, and at most. */
    waitMs: 10_000,
    waitMsMost: 100_000,
    /** Between two looks at whether it listens: the first time, and later. */
    lookMs: 50,
    lookMsMost: 500,
  },
  /** How a sandbox's use of the disk is watched. */
  disk: {
    /** How often free space is looked at while something runs, and while nothing does. */
    watchMs: 200,
    idleWatchMs: 1_000,
    /** How long a measurement of the home holds while free space says nothing. */
    measureMs: 5_000,
    idleMeasureMs: 60_000,
    /** So often in a row files may be held where nobody can look, before what has gone from the disk counts. */
    unsureMeasurements: 3,
    /** Changes below these are not worth a measurement. */
    leastStepBytes: 1024 ** 2,
    leastStepFiles: 1_000,
    /** What sandboxes leave free of the machine's disk. */
    freeBytes: 256 * 1024 ** 2,
    /** What a session's sandboxes, snapshots and artifacts may take together, and all that a Toolkeep keeps. */
    sessionBytes: 32 * 1024 ** 3,
    totalBytes: 128 * 1024 ** 3,
    /** How long a measurement of all that a Toolkeep keeps holds, and before something is refused for it. */
    totalMeasureMs: 600_000,
    totalRefusalMs: 5_000,
    /** What an artifact takes beside its content. */
    artifactBytes: 16 * 1024,
  },
  /** How long after its last use what a Toolkeep keeps is removed, by `toolkeep clean` and by servers. */
  clean: {
    artifactsMs: 30 * 86_400_000,
    snapshotsMs: 30 * 86_400_000,
    imagesMs: 30 * 86_400_000,
    /** Programs for sandboxes, of earlier versions. */
    programsMs: 30 * 86_400_000,
    /** Durable sessions, with their sandboxes; only `toolkeep clean` removes them. */
    sessionsMs: 90 * 86_400_000,
    /** What was being made by a process that has ended. */
    unfinishedMs: 86_400_000,
    /** When a server does it: after its start, and from then on. */
    firstMs: 30_000,
    everyMs: 6 * 3_600_000,
  },
  docker: {
    /** How long the engine may take to answer one request. */
    requestMs: 60_000,
    /** How long a started container may take until it takes commands. */
    readyMs: 30_000,
    /** How much is quoted of the reason that an engine gives for a refusal. */
    reasonCharacters: 600,
  },
  command: {
    characters: 1_000_000,
    /** A program given as text is one argument, and systems refuse longer ones. */
    codeBytes: 100_000,
    /** What a tool takes of it, below the above by the room for a shell's options. */
    codeCharacters: 99_900,
    /** How long a program given as text may run when nothing is said. */
    codeMs: 60_000,
    /** The one line that says why such a program failed. */
    errorBytes: 500,
    timeoutMsMost: 86_400_000,
    /** Below `textBytes` by the room for a note on what was left out or why it ended. */
    streamBytes: 49_000,
  },
  /** What the tools for background processes take and show. */
  process: {
    arguments: 1_000,
    argumentsShown: 20,
    commandCharacters: 500,
    /** How long a process is waited for when nothing is said. */
    waitMs: 60_000,
  },
  /** The browser of one session. */
  browser: {
    /** What Chromium may use of the machine, with all its tabs, where control groups can be made. */
    memoryBytes: 2 * 1024 ** 3,
    threads: 4_096,
    processors: 2,
    startMs: 30_000,
    closeMs: 5_000,
    navigateMs: 30_000,
    /** Below `toolTimeoutMs` by the time that an answer takes. */
    navigateMsMost: 100_000,
    /** How long an element may take to be ready for a click. */
    actionMs: 5_000,
    waitMsMost: 100_000,
    evaluateMs: 10_000,
    evaluateMsMost: 60_000,
    snapshotMs: 15_000,
    /** What a tree takes at most on a machine that is not overloaded: this, and one for so many elements. */
    treeMs: 1_000,
    treeElementsEachMs: 4,
    /** The top of a snapshot that comes with a navigation, and how long that may take. */
    glanceBytes: 6_000,
    glanceMs: 3_000,
    glanceElements: 5_000,
    /** A page with more elements is shown as plain text: a tree of them takes too long. */
    snapshotElements: 20_000,
    /** A page that does not answer a simple question in this time is taken for stuck. */
    answerMs: 1_500,
    /** After an action: how long a navigation may take to begin, and then to load. */
    settleMs: 150,
    loadMs: 10_000,
    tabs: 20,
    /** How many events of one sort are reported. */
    told: 3,
    /** Places that were not reached, kept until they are told. */
    refusals: 200,
    /** Of a page's own words: titles, dialogs, names. */
    shownCharacters: 300,
    urlCharacters: 2_000,
    expressionCharacters: 50_000,
    textCharacters: 100_000,
    /** At once, all together. */
    downloads: 5,
    downloadBytes: 64 * 1024 ** 2,
    downloadLookMs: 50,
    /** How long an answer waits for them. */
    downloadMs: 20_000,
    filenameCharacters: 120,
    viewport: { width: 1280, height: 800 },
    /** Of a screenshot of a whole page. */
    screenshotPixels: 16_000,
    scrollPixelsMost: 100_000,
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
    /**
     * Bodies of requests over HTTP that are being read or answered, together. Each token has its fair share of it, and
     * always room for one message.
     */
    requestBytes: 128 * 1024 * 1024,
    /** Requests of one client that wait for their answers; more are not read until then. */
    requests: 96,
    /** Of them, calls; more are refused until one has ended. */
    calls: 64,
    /** At the least between two notifications with live output. */
    outputEveryMs: 25,
    /** Live output in one notification, and for one call in all; the result has the rest. */
    outputBytes: 16 * 1024,
    outputBytesMost: 1024 * 1024,
    /** How long a client that lost its connection waits before it comes back. */
    retryMs: 1_000,
    /** How often a client hears that a call is still under way; proxies cut what is silent for 30 s. */
    keepAliveMs: 10_000,
    /** Answers that are kept for a client that was gone; of more, the oldest is removed. */
    keptAnswers: 100,
    /** Images and sound are part of a result up to this size, texts up to the other; beyond, links are. */
    mediaBytes: 4 * 1024 * 1024,
    embeddedBytes: 32 * 1024,
    /** Artifacts that one result shows. */
    artifacts: 16,
    /** How much of an artifact can be read as a resource. */
    resourceBytes: 16 * 1024 * 1024,
    /** Where the HTTP server listens when that port is free. */
    port: 7700,
    /**
     * Clients of one HTTP server, of which each token has its fair share, and how long one may do nothing
     * before it is forgotten.
     */
    clients: 256,
    clientIdleMs: 30 * 60_000,
    clientSweepMs: 60_000,
    /** Requests of one client a second, and how many may come at once after a rest. */
    requestRate: { everySecond: 500, atOnce: 2_000 },
    /** The same for requests without a valid token, of all together. */
    strangerRate: { everySecond: 5, atOnce: 50 },
    /** What was sent to a client and can be sent again to one that lost its connection. */
    replayBytes: 8 * 1024 * 1024,
    /** Of the name of sandboxes in an address (`?session=`). */
    sessionCharacters: 100,
    /**
     * Connections to the HTTP server at once. This part of them is for those that have not sent a valid token
     * yet, and each token has its fair share of the others.
     */
    connections: 1_024,
    strangerConnections: 1 / 4,
    /** When this part of them is taken, a connection that has sent no valid token for so long is closed. */
    crowdedConnections: 1 / 2,
    strangerMs: 1_000,
    /** The headers of one request, how long they may take to come, and how long the whole request may. */
    headerBytes: 16 * 1024,
    headerMs: 15_000,
    requestMs: 60_000,
    /** What one client may leave unread of its answers; then no more are begun, and who has a large one to come is cut off. */
    unreadBytes: 32 * 1024 * 1024,
    unreadPieceBytes: 64 * 1024,
    /** A connection that takes nothing of what is sent to it is cut off after this long. */
    unreadMs: 60_000,
    /** How long calls under way may go on when the server stops, and how long their answers may be read. */
    stopMs: 5_000,
    lastAnswerMs: 1_000,
    /** How much later than `stopMs` the process is gone, whatever is still under way. */
    leaveMs: 2_000,
  },
  /** What web.fetch and web.search ask of other machines. */
  web: {
    timeoutMs: 10_000,
    timeoutMsMost: 120_000,
    /** Of a body, decompressed. */
    bytes: 5 * 1024 ** 2,
    bytesMost: 50 * 1024 ** 2,
    urlCharacters: 8_000,
    /** Of a request and of a response. */
    headerBytes: 32 * 1024,
    headers: 50,
    redirects: 10,
    /** Compressions of one body in each other. */
    encodings: 3,
    /** The memory that making markdown of a page may use. */
    conversionBytes: 1024 ** 3,
    /** Elements in each other. Finding the main part of a page that nests deeper takes too long. */
    pageDepth: 150,
    filenameCharacters: 100,
    searchResults: 10,
    searchResultsMost: 50,
    /** For one provider. */
    searchMs: 10_000,
    searchBytes: 4 * 1024 ** 2,
    searchPages: 5,
    snippetCharacters: 500,
  },
  /** What agents remember, in namespaces of entries. */
  memory: {
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
  },
  /** Files for the person. */
  artifact: {
    bytes: 1024 ** 3,
    /** Copied in pieces of this size. */
    chunkBytes: 1024 ** 2,
    descriptionCharacters: 2_000,
  },
  chart: {
    rows: 20_000,
    /** Rows times the columns that are drawn of each. */
    points: 100_000,
    columns: 200,
    /** A table that is read from the sandbox. */
    fileBytes: 20 * 1024 ** 2,
    pixelsLeast: 100,
    pixelsMost: 4_000,
    /** Columns drawn side by side. */
    series: 50,
    titleCharacters: 300,
    labelCharacters: 200,
    memoryBytes: 1024 ** 3,
    /** More labels than this on one axis, or slices of a pie, can't be read. */
    readableLabels: 60,
  },
  image: {
    /** An image as a file, and how many points it may have once it is unpacked. */
    bytes: 32 * 1024 ** 2,
    pixels: 50_000_000,
    /** How long unpacking may take. */
    unpackSeconds: 30,
    /** Smaller images are read better and sent faster: the longer side for reading text, and for a model. */
    readingPixels: 2_500,
    modelPixels: 2_048,
    promptCharacters: 10_000,
    colours: 5,
    memoryBytes: 1024 ** 3,
  },
  audio: {
    bytes: 64 * 1024 ** 2,
    /** What is transcribed on this machine; at several times the speed of speech, within the deadline. */
    seconds: 3_600,
    timeoutMs: 900_000,
    sampleRateLeast: 4_000,
    sampleRateMost: 384_000,
    /** The model hears this much at once. */
    pieceSeconds: 28,
    memoryBytes: 2 * 1024 ** 3,
  },
  /** Work on bytes that somebody else chose, in processes of its own. */
  work: {
    /** At once: of all sessions, and of one; more wait for their turn. */
    running: 8,
    runningEach: 2,
    /** Processes that wait for more work, of all sessions, and for how long. */
    idle: 8,
    idleMs: 60_000,
    /** How long one may take until it takes requests. */
    startMs: 30_000,
    /** How often it looks at its own memory. */
    lookMs: 20,
    /** Its temporary files, which are memory as well. */
    temporaryBytes: 512 * 1024 ** 2,
    /** What it may answer with. */
    answerBytes: 128 * 1024 ** 2,
  },
  /** Models that are asked over the network. */
  endpoint: {
    answerBytes: 4 * 1024 ** 2,
  },
  /** What is taken from an MCP server whose tools are bridged in. */
  bridge: {
    servers: 64,
    nameCharacters: 32,
    /** From its start to the list of its tools. */
    startMs: 30_000,
    /** How long a server of an older protocol may be silent to the question which one it speaks. */
    probeMs: 5_000,
    /** Between a crash and the next start: the first time, doubled each time, and at most. */
    restartMs: 1_000,
    restartMsMost: 60_000,
    /** A server that has run for this long starts with the shortest wait again. */
    steadyMs: 60_000,
    /** How long it may take to end by itself when its input is closed. */
    endMs: 1_000,
    /** One message; a larger one ends the connection. */
    messageBytes: 16 * 1024 * 1024,
    /** Objects and arrays of a message in each other; what lies deeper is left out. */
    messageDepth: 300,
    /** What a server may leave unread of what it is sent, and requests of its own that wait for an answer to be taken. */
    unreadBytes: 32 * 1024 * 1024,
    unreadAnswers: 256,
    /** Before a stream that a server has closed is opened again, whatever it asks for. */
    reopenMs: 1_000,
    reopenMsMost: 60_000,
    /** What it has written to its standard error, kept to say why it ended. */
    complaintBytes: 2_000,
    tools: 1_000,
    pages: 200,
    /** At the least between two readings of a list that it says has changed. */
    listEveryMs: 250,
    descriptionBytes: 4_000,
    titleCharacters: 100,
    /** Of the text that describes one argument. */
    argumentBytes: 1_000,
    schemaBytes: 64 * 1024,
    schemaDepth: 40,
    /** Schemas that a value may be checked against, with each reference counted as what it leads to. */
    schemaParts: 20_000,
    /** Of what it says about a call that failed. */
    errorBytes: 10_000,
    /** Images, sounds and files in one answer. */
    media: 50,
    /** For a login: one request to what a server's metadata names, its answer, and where it may be sent on to. */
    oauthMs: 15_000,
    oauthBytes: 1024 * 1024,
    oauthRedirects: 3,
    /** The address that a person opens to log in. */
    addressCharacters: 8_000,
    /** A token, which has to fit into a header. */
    tokenCharacters: 16_384,
    /** Of all that a server has asked for, one refusal after the other. */
    scopeCharacters: 4_000,
    /** How long a person may take to log in, and where the browser comes back to when that port is free. */
    loginMs: 5 * 60_000,
    loginPort: 7719,
    loginConnections: 64,
  },
  /** How many tools a model is shown. */
  tools: {
    /** With more than this, it sees a few at first and finds the others with tools.search. */
    deferAbove: 40,
    /** A program's own tools are among those few while they are at most so many. */
    ownAtFirst: 20,
    queryCharacters: 1_000,
    /** Different words of a query that are looked for. */
    queryWords: 32,
    results: 5,
    resultsMost: 20,
    /** Of what is found, together as JSON, below `resultBytes` by the room for the rest. */
    foundBytes: 150_000,
    /** Of one tool's texts, what can be found by. */
    indexedCharacters: 4_000,
    /** Words that begin with one of a query's. */
    prefixWords: 64,
  },
  /** What a server says about errors that nothing caught: lines in a second, and the length of one. */
  faults: { perSecond: 10, characters: 1_000 },
  /** The limits of OpenRath's own result form. */
  openrath: { jsonCharacters: 48_000, fileCharacters: 12_000, entries: 500 },
} as const
