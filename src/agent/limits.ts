/** Limits of one request to a model. */
export const modelLimits = {
  /** A model that sends nothing for this long has hung. Some think for minutes without a word. */
  idleMs: 300_000,
  /** How long a stream may stay open after its end. */
  drainMs: 1000,
  /** How often a request that got no answer is sent again. */
  retries: 4,
  firstRetryMs: 1000,
  longestRetryMs: 30_000,
  /** A server that wants a longer pause than this gets no second request; the caller decides. */
  longestRetryAfterMs: 60_000,
  /** Anthropic requires a number, and its provider takes 4096 for models that it does not know. */
  anthropicOutputTokens: 32_000,
  /** Base64 characters of an image: more is refused, and would be refused again in every later request. */
  imageCharacters: 5_242_880,
  /** What one answer may send, and what may come of it: its texts and arguments together, and its parts. */
  answerBytes: 64 * 1024 * 1024,
  answerCharacters: 16 * 1024 * 1024,
  answerParts: 1_024,
  /** Of what a provider says in an error. */
  quotedCharacters: 300,
} as const

/** Limits of an agent's run. */
export const agentLimits = {
  /** Requests to the model in one run. */
  rounds: 100,
  /** Calls in one run. */
  calls: 1_000,
  /** Calls that run a command, until a person says something again. */
  commandsPerTurn: 200,
  /** Calls of one answer that run at the same time. */
  parallelCalls: 16,
  /** How deep tasks may be nested below a run. */
  taskDepth: 4,
  /** The context that a model has where nothing is configured, in tokens. */
  contextTokens: 128_000,
  /** Of the context, what a request may fill before older parts are edited, and what an edit leaves. */
  editAbove: 0.8,
  editTo: 0.5,
  /** Rounds at the end of a conversation that no edit touches. */
  roundsKept: 3,
  /** Characters of a result that stay when it shrinks to a handle. */
  handleCharacters: 200,
  /** A text of this many characters counts as one token, until a provider has said how many it is. */
  charactersPerToken: 3.5,
  /** Tokens of one answer where the model does not say otherwise. */
  outputTokens: 8_192,
  /** How often an answer that does not satisfy a schema is sent back. */
  schemaTries: 3,
  /** After this many failures of the same call in a row, the model gets a hint. */
  repeatedFailures: 2,
} as const
