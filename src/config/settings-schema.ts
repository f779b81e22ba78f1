import { limits as callLimits } from "../contract/index.ts"
import { configLimits } from "./limits.ts"
import { text, textList } from "./policy-schema.ts"

export const network = {
  type: "object",
  description:
    "What web.* and browser.* may reach. Private addresses are refused, except those listed in private.",
  examples: [{ reach: "allow-list", allow: ["example.com"] }],
  properties: {
    reach: {
      type: "string",
      enum: ["none", "allow-list", "full"],
      description: "none, the domains in allow, or every public address. Default: full.",
    },
    allow: {
      ...textList,
      description: "The domains for reach: allow-list.",
      examples: [["example.com", "*.example.org"]],
    },
    private: {
      ...textList,
      description: "Private hosts and ports that may be reached.",
      examples: [["localhost:8080", "10.1.2.3:443"]],
    },
  },
  additionalProperties: false,
} as const

/**
 * A key written here instead of its variable's name must not get into messages. Keys are longer than a word and mix letters
 * with digits; names are short, or words with underscores between them.
 */
const word = "(?:[A-Z0-9]{1,5}|[A-Z]{1,14}[0-9]{0,2})"
const variableName = {
  type: "string",
  pattern: `^(?![0-9])_*(?:[A-Z0-9]{1,12}|${word}(?:_+${word})+)_*$`,
} as const

export const search = {
  type: "array",
  description: "Search providers for web.search, tried in this order until one answers.",
  examples: [[{ provider: "brave", key_from: "BRAVE_API_KEY" }]],
  items: {
    type: "object",
    properties: {
      provider: {
        type: "string",
        enum: ["searxng", "brave", "tavily"],
        description: "The search provider.",
      },
      url: {
        ...text,
        description: "The provider's address; required for searxng.",
        examples: ["https://search.example.com"],
      },
      key_from: {
        ...variableName,
        description: "The environment variable that holds the API key.",
        examples: ["BRAVE_API_KEY"],
      },
    },
    required: ["provider"],
    additionalProperties: false,
  },
} as const

const endpoint = {
  type: "object",
  examples: [{ url: "http://localhost:11434/v1", model: "llava" }],
  properties: {
    url: {
      ...text,
      description: "The base address, including the version.",
      examples: ["https://api.openai.com/v1"],
    },
    model: { ...text, description: "The model's name.", examples: ["gpt-5-mini"] },
    key_from: {
      ...variableName,
      description: "The environment variable that holds the API key.",
      examples: ["OPENAI_API_KEY"],
    },
  },
  required: ["url", "model"],
  additionalProperties: false,
} as const

export const models = {
  type: "object",
  description: "OpenAI-compatible endpoints to use instead of the models on this machine.",
  properties: {
    vision: { ...endpoint, description: "The endpoint for image.analyze." },
    embeddings: { ...endpoint, description: "The endpoint for memory.search." },
    transcription: { ...endpoint, description: "The endpoint for audio.transcribe." },
  },
  additionalProperties: false,
} as const

export const memory = {
  type: "object",
  description: "Whether clients share the memory of memory.*.",
  properties: {
    shared: {
      type: "boolean",
      description:
        "Whether all tokens of toolkeep up share the memory of toolkeep call and toolkeep mcp. Otherwise each token " +
        "has its own. Default: false.",
    },
  },
  additionalProperties: false,
} as const

export const browser = {
  type: "object",
  description: "The browser for browser.*.",
  properties: {
    executable: {
      ...text,
      description: "The path of Chromium, if it is not found automatically.",
      examples: ["/usr/bin/chromium"],
    },
    memory_mb: {
      type: "integer",
      minimum: 256,
      description: `The memory limit of one session's browser, in MiB. Default: ${configLimits.browserMemoryBytes / 2 ** 20}.`,
    },
  },
  additionalProperties: false,
} as const

const price = { type: "number", minimum: 0 } as const

const count = { type: "integer", minimum: 1 } as const

const runLimits = {
  type: "object",
  properties: {
    rounds: { ...count, description: "Requests to the model. Default: 100." },
    calls: { ...count, description: "Calls of tools. Default: 1000." },
    calls_of: {
      type: "object",
      description: "Calls of single tools, by their names.",
      examples: [{ "web.search": 20, task: 5 }],
      additionalProperties: count,
    },
    commands_per_turn: {
      ...count,
      description: "Calls that run a command, until the next message of a person. Default: 200.",
    },
    tokens: { ...count, description: "Tokens of requests and answers together." },
    cost: { ...price, description: "In the currency of agent.prices." },
    seconds: { ...count, description: "The time that a run may take." },
  },
  additionalProperties: false,
} as const

export const agent = {
  type: "object",
  description: "The model that works for toolkeep run, its limits, and the roles of its tasks.",
  examples: [
    {
      model: "anthropic/claude-sonnet-4-5",
      limits: { rounds: 50 },
      roles: { critic: { description: "Judges a text.", instructions: "You are strict." } },
    },
  ],
  properties: {
    model: {
      ...text,
      description:
        "anthropic/MODEL, openai/MODEL, or URL#MODEL for a server that is compatible with OpenAI's, such as Ollama.",
      examples: ["http://127.0.0.1:11434/v1#qwen3"],
    },
    context_tokens: {
      type: "integer",
      minimum: 4_096,
      description:
        "How many tokens a request may have; older parts are shortened before. Default: 128000.",
    },
    prices: {
      type: "object",
      description: "What a million tokens cost, in any currency. Without it, no cost is counted.",
      examples: [{ input: 3, output: 15, cached: 0.3 }],
      properties: {
        input: { ...price, description: "Of requests." },
        output: { ...price, description: "Of answers." },
        cached: { ...price, description: "Of requests, what the provider's cache had." },
      },
      required: ["input", "output"],
      additionalProperties: false,
    },
    limits: { ...runLimits, description: "What one run may use, tasks included." },
    roles: {
      type: "object",
      description:
        "The agents that can be given a task, by name. agents.<name> says which tools a role may use; what the agent above it may not do, it may not do either.",
      examples: [{ critic: { description: "Judges a text." } }],
      additionalProperties: {
        type: "object",
        properties: {
          description: { ...text, description: "When to choose it, for the model." },
          instructions: { ...text, description: "What it reads before its task." },
          model: { ...text, description: "Its model. Default: agent.model." },
          limits: {
            ...runLimits,
            description: "What one of its tasks may use, where that is less than what is left.",
          },
        },
        required: ["description"],
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
} as const

export const sandboxes = {
  type: "object",
  description: "Sandboxes that are made before they are used.",
  properties: {
    warm: {
      type: "integer",
      minimum: 0,
      maximum: configLimits.warmSandboxesMost,
      description: `How many default sandboxes toolkeep up and toolkeep mcp keep ready, with bubblewrap, docker and kubernetes. Default: ${configLimits.warmSandboxes}.`,
    },
  },
  additionalProperties: false,
} as const

/** An address can hold a password, so no message repeats it. */
export const store = {
  type: "string",
  pattern: "^(postgres(ql)?://.|\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}$)",
  description:
    "The PostgreSQL database with the record of sessions, such as postgres://user@host:5432/database, which several " +
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written in the file.
    "machines can share. ${NAME} is replaced by a variable of Toolkeep's own environment. Default: a file in Toolkeep's home.",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written in the file.
  examples: ["postgres://toolkeep:${DATABASE_PASSWORD}@db.example.com/toolkeep"],
} as const

const leastBytes = 1_048_576

export const disk = {
  type: "object",
  description: "Disk limits in addition to each sandbox's own limit.",
  properties: {
    session_bytes: {
      type: "integer",
      minimum: leastBytes,
      description: `The limit for one session's sandboxes, snapshots and artifacts together. Default: ${configLimits.sessionDiskBytes}.`,
    },
    total_bytes: {
      type: "integer",
      minimum: leastBytes,
      description: `The limit for everything that Toolkeep stores on this machine. Default: ${configLimits.totalDiskBytes}.`,
    },
  },
  additionalProperties: false,
} as const

const milliseconds = {
  type: "integer",
  minimum: configLimits.timeoutMsLeast,
  maximum: configLimits.timeoutMsMost,
} as const

export const limits = {
  type: "object",
  description: "How much a call may answer with, and how long it may take.",
  examples: [{ output_bytes: 20_000, timeout_ms: 60_000 }],
  properties: {
    output_bytes: {
      type: "integer",
      minimum: configLimits.outputBytesLeast,
      maximum: configLimits.outputBytesMost,
      description: `The size at which a text for a model is cut to its head and tail. Default: ${callLimits.textBytes}.`,
    },
    timeout_ms: {
      ...milliseconds,
      description: `The time after which a tool is ended that has no timeout of its own. Default: ${callLimits.toolTimeoutMs}.`,
    },
    command_timeout_ms: {
      ...milliseconds,
      description:
        "The time after which a command of shell.exec is ended if its call names no timeout. Without it, such a " +
        "command may run as long as it needs.",
      examples: [600_000],
    },
  },
  additionalProperties: false,
} as const
