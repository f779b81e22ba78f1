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
  /** On a busy machine, at most so many times as long. */
  mostSlowness: 5,
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
  /** How long a sandbox that is told to sleep waits for file operations. */
  settleMs: 2_000,
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

/** Sandboxes that are made before anybody asks for one. */
export const warmLimits = {
  /** After the start, when the first one is made: what a client asks first comes first (bench: mcp-start). */
  startMs: 1_000,
  /** After one was handed out, how long nothing may run before another one is made. */
  refillMs: 100,
  /** How often it is looked whether they should go. */
  lookMs: 10_000,
  /** When nobody has asked for a sandbox for so long, or the machine has less memory left, they go. */
  idleMs: 600_000,
  memoryBytesLeast: 256 * 1024 ** 2,
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
  /** How long a measurement holds for somebody who looks on, at least, and as a multiple of the time that it took. */
  shownMs: 4_000,
  shownPauses: 200,
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
  /** How often it is looked whether a process that may be ending has ended, and how long. */
  endingMs: 10,
  endingMostMs: 5_000,
  /** The text of one file, and of all files of one call: those before it and those after it. */
  fileBytes: 256 * 1024,
  callCharacters: 2 * 1024 * 1024,
  /** How long files may be read before and after a call, and how many of those that were there before anybody looked. */
  readMs: 10,
  firstFiles: 1_000,
  /** Texts of one home that stay in memory, for the next change of theirs. */
  knownCharacters: 4 * 1024 * 1024,
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

/** A sandbox that is reached over one stream of bytes. */
export const frameLimits = {
  /** On their way in one direction of one command's stream, before the sender waits. */
  windowBytes: 1024 ** 2,
  /** How often each side says that it is there. */
  beatMs: 1_000,
  /** A connection that is silent for so long is closed, and another is made. */
  silenceMs: 6_000,
  /** How long a new connection may take, and the pause before the next one. */
  dialMs: 15_000,
  redialMs: 100,
  /** Without a word for so long, the sandbox is given up; sooner where its machine is known to be away. */
  lostMs: 25_000,
  silentMs: 10_000,
  /** The sandbox ends itself when nobody was connected for so long. */
  abandonedMs: 600_000,
  /** Slots that are ready when it starts. */
  slots: 16,
} as const

export const dockerLimits = {
  /** How long the engine may take to answer one request. */
  requestMs: 60_000,
  /** How long a started container may take until it takes commands. */
  readyMs: 30_000,
  /** How much is quoted of the reason that an engine gives for a refusal. */
  reasonCharacters: 600,
} as const

/** A cluster in which each sandbox is a pod. */
export const kubernetesLimits = {
  /** How long the API server may take to answer one request. */
  requestMs: 8_000,
  /** How long a pod may wait for a node that has room, and may take until it takes commands: its image may have to be pulled. */
  scheduleMs: 7_000,
  readyMs: 180_000,
  /** How long a new connection to a pod may take that has lost its own, and how long one is tried for while the API server is away. */
  redialMs: 3_500,
  lostMs: 60_000,
  /** How long a node may take to end a pod whose volume another one needs. */
  endMs: 60_000,
  /** How often a process says that it lives, and how long that holds, by the API server's clock. */
  renewMs: 5_000,
  leaseSeconds: 30,
  /** How often it is looked for processes that have not said so, and how long one is seen like that before what it had is removed. */
  sweepMs: 4_500,
  suspectMs: 9_000,
  /** How often a pod that is being started is looked at, and tried to connect to. */
  lookMs: 400,
  retryMs: 100,
  /** The part of its limits that a sandbox has reserved on its node, where nobody asked for limits by name. */
  reservedShare: 1 / 16,
  /** How long one thing may take to be reached from a pod, and a policy to be enforced; and how long it is believed that one is. */
  reachMs: 500,
  closeMs: 15_000,
  proofMs: 30 * 86_400_000,
  /** Shapes of which pods are made before anybody asks, and how many of one shape are started at once. */
  poolShapes: 4,
  poolStarts: 4,
  /** Such a pod is used within this part of the time after which it ends by itself. */
  poolShare: 0.8,
  /** A pod that nobody removes ends after so long; a sandbox is used again by then, or its files are gone. */
  podSeconds: 7 * 86_400,
  /** In one message to a program in a pod, before its writer waits; and from it. */
  messageBytes: 256 * 1024,
  messageBytesMost: 32 * 1024 ** 2,
  /** How much is quoted of the reason that a cluster gives. */
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

/** What the opensandbox host holds its server and itself to. */
export const openSandboxLimits = {
  /** What goes into a command as it is; what is longer is uploaded, because an argument of Linux has at most 128 KiB. */
  inlineBytes: 48 * 1024,
  /** One event of a command. */
  eventCharacters: 4 * 1024 * 1024,
  /** A longer timeout is only held here; a shorter one by the server too, so much later. */
  timeoutMsMost: 86_000_000,
  timeoutSpareMs: 5_000,
  /** How long the server may take to end a command. */
  interruptMs: 3_000,
  /** A sandbox that nobody renews ends after so long. */
  lifeSeconds: 3_600,
  /** How long a new sandbox may take to run its first command. */
  readyMs: 30_000,
  /** How long the server may take to answer one request, and to say that it is there. */
  requestSeconds: 60,
  probeSeconds: 5,
} as const
