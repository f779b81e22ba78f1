import { limits } from "../contract/index.ts"

/** What an MCP client may send, and what it is sent. */
export const serverLimits = {
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
  /** The latest answers of a session, which a client whose connection was lost finds again. */
  keptAnswers: 100,
  /** Texts are part of a result up to this size; beyond, links are. */
  embeddedBytes: 32 * 1024,
  /**
   * The text of a result. Claude Code shows a model 50,000 characters and 25,000 tokens of one result, and more as a
   * file; for a tool that is listed with more characters, this many of them.
   */
  shownBytes: 60_000,
  listedCharacters: 250_000,
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
  /**
   * The headers of one request, how long they may take to come, and how long the whole request may. A file that is sent
   * may take longer, while so much of it comes in each such time.
   */
  headerBytes: 16 * 1024,
  headerMs: 15_000,
  requestMs: 60_000,
  requestStepBytes: 64 * 1024,
  /**
   * A connection without a request: how long clients are told that it stays, and how much longer it does. What a client
   * sends in the last moment is answered, also when the server was busy just then.
   */
  idleConnectionMs: 5_000,
  idleConnectionSpareMs: 60_000,
  /** What one client may leave unread of its answers; then no more are begun, and who has a large one to come is cut off. */
  unreadBytes: 32 * 1024 * 1024,
  unreadPieceBytes: 64 * 1024,
  /** A connection that takes nothing of what is sent to it is cut off after this long. */
  unreadMs: 60_000,
  stopMs: limits.stopMs,
  /** How long the answers of those calls may be read. */
  lastAnswerMs: 1_000,
} as const

/** What is taken from an MCP server whose tools are bridged in. */
export const bridgeLimits = {
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
} as const
