/** What the file tools read, edit and show. */
export const fileLimits = {
  /** In a bigger file, lines are looked for by the sandbox's own programs, where it has some. */
  nearBytes: 256 * 1024,
  /** How much of a file tells what it holds. */
  guessBytes: 4_096,
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
} as const

export const searchLimits = {
  matches: 100,
  matchesMost: 1_000,
  contextLines: 20,
  lineCharacters: 500,
  /** A longer line of ripgrep's output is dropped and counted. */
  recordBytes: 1024 * 1024,
  /** At a line of its output longer than this, a search stops: its file has no lines. */
  recordBytesMost: 32 * 1024 * 1024,
  /** How many matches grep tells of one file, to find where its long lines match. */
  partsMost: 10_000,
  /** How many files a glob may choose for one search. */
  files: 100_000,
  /** File names given to one run of ripgrep; systems refuse longer argument lists. */
  argumentBytes: 64 * 1024,
} as const

export const commandLimits = {
  characters: 1_000_000,
  /** What a tool takes of it, below the above by the room for a shell's options. */
  codeCharacters: 99_900,
  /** How long a program given as text may run when nothing is said. */
  codeMs: 60_000,
  /** The one line that says why such a program failed. */
  errorBytes: 500,
  timeoutMsMost: 86_400_000,
  /** A stream is below `textBytes` by this, for a note on what was left out or why it ended. */
  noteBytes: 1_000,
} as const

/** What the tools for background processes take and show. */
export const processLimits = {
  arguments: 1_000,
  argumentsShown: 20,
  commandCharacters: 500,
  /** What is written to a process at once. */
  writeCharacters: 100_000,
  /** How long a process is waited for when nothing is said. */
  waitMs: 60_000,
} as const

/** The browser of one session. */
export const browserLimits = {
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
  /** What a tree takes at most on a machine that is not overloaded: this, and a millisecond for each `treeElementsEachMs` elements. */
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
  /** Places that were not reached, kept until they are reported. */
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
} as const

/** What web.fetch and web.search ask of other machines. */
export const webLimits = {
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
} as const

/** Files for the person. */
export const artifactLimits = {
  bytes: 1024 ** 3,
  /** Copied in pieces of this size. */
  chunkBytes: 1024 ** 2,
  descriptionCharacters: 2_000,
} as const

export const chartLimits = {
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
} as const

export const imageLimits = {
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
} as const

export const audioLimits = {
  bytes: 64 * 1024 ** 2,
  /** What is transcribed on this machine; at several times the speed of speech, within the deadline. */
  seconds: 3_600,
  timeoutMs: 900_000,
  sampleRateLeast: 4_000,
  sampleRateMost: 384_000,
  /** The model hears this much at once. */
  pieceSeconds: 28,
  memoryBytes: 2 * 1024 ** 3,
} as const

/** Work on bytes that somebody else chose, in processes of its own. */
export const workLimits = {
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
} as const

/** Models that are asked over the network. */
export const endpointLimits = {
  answerBytes: 4 * 1024 ** 2,
} as const

/** How many tools a model is shown. */
export const toolSearchLimits = {
  /** With more than this, it sees a few at first and finds the others with tools.search. */
  deferAbove: 40,
  /** A program's own tools are among those few while they are at most this many. */
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
} as const

/** What sessions.list shows, and how long a name may be. */
export const sessionsLimits = {
  shown: 20,
  shownMost: 200,
  nameCharacters: 1_000,
} as const
