/** What one sandbox with real processes may use of the machine. */
export const sandboxLimits = {
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
  /** An agent that answers none of this many is considered stopped. */
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
  /** After a command's exit, how long a child that holds its output open is waited for. */
  drainMs: 200,
  /** A program given as text is one argument, and systems refuse longer ones. */
  codeBytes: 100_000,
} as const

/** A terminal inside a sandbox. */
export const terminalLimits = {
  /** Columns, and rows. */
  cells: 2_000,
  /** Output that waits for its reader; beyond, the program waits. */
  outputBytes: 64 * 1024,
  /** When one is closed, how long its programs may take to end by themselves. */
  graceMs: 500,
} as const

/** What a sandbox's image may be: a root file system, alone or in layers. */
export const sandboxImageLimits = {
  /** Unpacking it, from the first byte of its file to the last of its layers. */
  unpackMs: 600_000,
  /** An archive or a layer, once it is decompressed. */
  unpackedBytes: 32 * 1024 ** 3,
  /** A manifest is a list of layers; nothing that is larger is one. */
  manifestBytes: 8 * 1024 ** 2,
  layers: 512,
  searchPathBytes: 4_096,
} as const

/** The named sandboxes of one session. */
export const poolLimits = {
  sandboxes: 64,
  /** Without use for so long, a sandbox goes to sleep. */
  sleepAfterMs: 600_000,
  sleepAfterMsLeast: 1_000,
  sleepAfterMsMost: 86_400_000,
  /** How long a tool may take to hand a tree from one sandbox to another. */
  transferMs: 600_000,
  /** Tool calls that run commands in one turn of an agent. */
  commandsPerTurn: 100,
} as const

/** What a sandbox whose network is an allow-list of domains may ask of the proxy. */
export const networkLimits = {
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
} as const

/** What a browser may ask of the servers inside a session's sandboxes. */
export const previewLimits = {
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
} as const

/** How a sandbox's use of the disk is watched. */
export const diskLimits = {
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
} as const

/** How the files of a sandbox are recorded while its processes go on. */
export const checkpointLimits = {
  /** Directories in each other; what lies deeper is named as incomplete. */
  depth: 200,
  /** How often a file is copied that changes meanwhile. */
  attempts: 3,
  /** No clock of a file system is coarser. */
  tickMs: 50,
  /** Files that are named as incomplete. */
  named: 20,
  copyMs: 600_000,
} as const

/** How much is looked at, and kept, of what a call did. */
export const effectsLimits = {
  /** How long files may be looked at before and after a call; after a long one, this part of its time. */
  lookMs: 20,
  lookShare: 0.05,
  /** Names below a home. */
  entries: 20_000,
  directories: 4_000,
  /** Directories of all sandboxes that this process watches. */
  watchedInAll: 40_000,
  /** Names of one directory that the kernel says have changed; beyond, all are looked at. */
  touchedNames: 256,
  /** Events of one directory; beyond, it is not listened to until the call has ended. */
  directoryEvents: 4_096,
  /** Events of one home; the kernel drops them above 16,384 that nobody has read. */
  events: 8_192,
  /** How long nobody tries again to look at a home that is too large. */
  retryMs: 60_000,
  /** Files, processes or hosts that are named; beyond, they are counted. */
  listed: 100,
  listedCharacters: 16_384,
  /** How much is shown of the command of a process. */
  commandCharacters: 200,
  /** Before a process that is being ended counts as left. */
  endingMs: 10,
} as const

/** How long after its last use what a Toolkeep keeps is removed, by `toolkeep clean` and by servers. */
export const cleanLimits = {
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
} as const

export const dockerLimits = {
  /** How long the engine may take to answer one request. */
  requestMs: 60_000,
  /** How long a started container may take until it takes commands. */
  readyMs: 30_000,
  /** How much is quoted of the reason that an engine gives for a refusal. */
  reasonCharacters: 600,
} as const

/** The host that runs virtual bash in this process. */
export const memoryHostLimits = {
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
} as const
