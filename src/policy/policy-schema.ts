import type { InferSchema } from "../contract/index.ts"
import type { Origin } from "./place.ts"

const patterns = {
  type: "array",
  items: { type: "string", minLength: 1 },
  description:
    'Tool names ("shell.exec"), patterns ("file.*", "mcp:github:*", "*") and groups ("group:fs").',
} as const

const profileName = {
  type: "string",
  minLength: 1,
  description: 'A profile: minimal, messaging, coding, full, or one of tools.profiles ("coding").',
} as const

const autonomy = {
  type: "string",
  enum: ["conservative", "standard", "autonomous"],
  description:
    "conservative asks before every write, command and network use; standard does what the hooks say; " +
    'autonomous logs where a hook would ask. Default: "standard".',
} as const

const rule = {
  type: "object",
  properties: {
    deny: { type: "string", minLength: 1, description: 'Refuse this tool: "shell.exec".' },
    ask: {
      type: "string",
      minLength: 1,
      description: 'Ask a person first, at every level of autonomy: "git.push".',
    },
    allow: {
      type: "string",
      minLength: 1,
      description: 'Run without asking, though a hook would ask: "shell.exec". Lifts no denial.',
    },
    when: {
      type: "object",
      minProperties: 1,
      additionalProperties: { type: "string", minLength: 1 },
      description:
        'A field of the arguments and the regular expression it must match: { command: "\\\\brm\\\\b" }, ' +
        '{ "edits[].path": "^/etc/" }. All fields must match. It matches anywhere unless ^ and $ are used, ' +
        'and may start with (?i), (?s) or (?m). "path" is every path of a call: each is compared from the home on ("docs/x") ' +
        'and absolute ("/home/user/docs/x"), however it is spelled.',
    },
    because: {
      type: "string",
      minLength: 1,
      description: 'The reason, shown to the model and to people: "Ask for a review instead."',
    },
  },
  required: ["when"],
  // Inside allOf because a type can't be inferred from these bare branches.
  allOf: [{ oneOf: [needs("deny"), needs("ask"), needs("allow")] }],
  additionalProperties: false,
} as const

function needs<const Key extends string>(key: Key) {
  return { properties: { [key]: {} }, required: [key] }
}

const tools = {
  type: "object",
  description: "What every agent may use, and when a person is asked.",
  properties: {
    policy: { ...profileName, description: `${profileName.description} Default: "full".` },
    profiles: {
      type: "object",
      description: 'Profiles by name: { review: { allow: ["file.read"], deny: [] } }.',
      additionalProperties: {
        type: "object",
        properties: { allow: patterns, deny: patterns },
        required: ["allow"],
        additionalProperties: false,
      },
    },
    groups: {
      type: "object",
      description:
        'Groups by name, beside fs, runtime, web and memory: { deploy: ["git.*", "shell.exec"] }.',
      additionalProperties: patterns,
    },
    rules: {
      type: "array",
      description: "Decisions that depend on a call's arguments: deny before ask before allow.",
      items: rule,
    },
    hooks: {
      type: "object",
      description:
        'What happens before an allowed tool runs: { confirm: ["shell.*"], log: ["web.*"] }. ' +
        "The most specific pattern counts.",
      properties: { confirm: patterns, log: patterns, silent: patterns },
      additionalProperties: false,
    },
    autonomy,
  },
  additionalProperties: false,
} as const

const images = {
  type: "object",
  description:
    'What sandboxes can be made of, by name: "host" for this machine\'s own programs, or the path, from ' +
    "this file on, of a root file system's directory, of a tar of one, or of an image that docker save or " +
    'an OCI tool wrote: { "python:3.12": "./images/python.tar" }. The policy takes no notice of it.',
  additionalProperties: { type: "string", minLength: 1 },
} as const

const network = {
  description:
    "What web.* and browser.* may reach: { reach: none }, { reach: full } (every public address; the " +
    'default) or { reach: allow-list, allow: ["example.com"] }. Private addresses are refused, but for those in private.',
  type: "object",
  properties: {
    reach: {
      type: "string",
      enum: ["none", "allow-list", "full"],
      description: 'How far: "none", "allow-list" or "full". Default: "full".',
    },
    allow: {
      type: "array",
      items: { type: "string", minLength: 1 },
      description: 'For allow-list: ["example.com", "*.example.org"].',
    },
    private: {
      type: "array",
      items: { type: "string", minLength: 1 },
      description:
        'Private hosts and ports that may be reached all the same: ["localhost:8080", "10.1.2.3:443"].',
    },
  },
  additionalProperties: false,
} as const

const search = {
  type: "array",
  description: "Where web.search asks, in this order, until one of them answers.",
  items: {
    type: "object",
    properties: {
      provider: {
        type: "string",
        enum: ["searxng", "brave", "tavily"],
        description: 'Who is asked: "searxng", "brave" or "tavily".',
      },
      url: {
        type: "string",
        minLength: 1,
        description: 'Where the provider is, needed for searxng: "https://search.example.com".',
      },
      key_from: {
        type: "string",
        minLength: 1,
        description: 'The environment variable that holds the key: "BRAVE_API_KEY".',
      },
    },
    required: ["provider"],
    additionalProperties: false,
  },
} as const

const endpoint = {
  type: "object",
  description: "An OpenAI-compatible endpoint.",
  properties: {
    url: {
      type: "string",
      minLength: 1,
      description: 'Up to its version: "https://api.openai.com/v1".',
    },
    model: { type: "string", minLength: 1, description: 'The model\'s name: "gpt-5-mini".' },
    key_from: {
      type: "string",
      minLength: 1,
      description: 'The environment variable that holds the key: "OPENAI_API_KEY".',
    },
  },
  required: ["url", "model"],
  additionalProperties: false,
} as const

const memory = {
  type: "object",
  description:
    "Whose memory.* it is: each token of toolkeep up has a memory of its own. { shared: true } gives all of them " +
    "the one that toolkeep call and toolkeep mcp use.",
  properties: {
    shared: {
      type: "boolean",
      description: "Whether all tokens have one memory. Default: false.",
    },
  },
  additionalProperties: false,
} as const

const models = {
  type: "object",
  description:
    "Models in place of what runs on this machine: for image.analyze, memory.search and audio.transcribe.",
  properties: { vision: endpoint, embeddings: endpoint, transcription: endpoint },
  additionalProperties: false,
} as const

const browser = {
  type: "object",
  description: "The browser of browser.*.",
  properties: {
    executable: {
      type: "string",
      minLength: 1,
      description: 'Chromium\'s path, where it is not found by itself: "/usr/bin/chromium".',
    },
    memory_mb: {
      type: "integer",
      minimum: 256,
      description:
        "What the browser of one session may use of this machine's memory, in MiB: 2048.",
    },
  },
  additionalProperties: false,
} as const

const disk = {
  type: "object",
  description:
    "What may be taken of the disk, beside each sandbox's own limit: { session_bytes: 8000000000 }. The policy takes no notice of it.",
  properties: {
    session_bytes: {
      type: "integer",
      minimum: 1_048_576,
      description: "What one session's sandboxes, snapshots and artifacts take together.",
    },
    total_bytes: {
      type: "integer",
      minimum: 1_048_576,
      description: "What all that Toolkeep keeps on this machine takes.",
    },
  },
  additionalProperties: false,
} as const

const texts = { type: "object", additionalProperties: { type: "string" } } as const

const oauth = {
  type: "object",
  description:
    "For a server over HTTP that wants a login, when it does not register clients itself.",
  properties: {
    client_id: {
      type: "string",
      minLength: 1,
      description:
        "As whom Toolkeep is registered there, with http://127.0.0.1:7719/callback to come back to, or the " +
        "https address of a document that says it.",
    },
    client_secret: {
      type: "string",
      minLength: 1,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as a person writes it.
      description: 'Best from the environment: "${EXAMPLE_SECRET}".',
    },
    scope: {
      type: "string",
      minLength: 1,
      description: 'What to ask for, in place of what the server names: "read write".',
    },
    grant: {
      type: "string",
      enum: ["authorization_code", "client_credentials"],
      description:
        "client_credentials: Toolkeep gets in as itself, with its id and secret. Default: a person logs in.",
    },
    issuer: {
      type: "string",
      minLength: 1,
      description:
        'The only authorization server that gets the secret: "https://login.example.com".',
    },
  },
  additionalProperties: false,
} as const

const mcpServer = {
  type: "object",
  properties: {
    command: {
      type: "string",
      minLength: 1,
      description: 'The program of a server on standard input and output: "npx".',
    },
    args: {
      type: "array",
      items: { type: "string" },
      description: 'Its arguments: ["-y", "@modelcontextprotocol/server-memory"].',
    },
    env: {
      ...texts,
      description:
        // biome-ignore lint/suspicious/noTemplateCurlyInString: as a person writes it.
        'Its environment, beside PATH, HOME and the like: { GITHUB_TOKEN: "${GITHUB_TOKEN}" }. ' +
        // biome-ignore lint/suspicious/noTemplateCurlyInString: as a person writes it.
        "${NAME} is a variable of Toolkeep's own environment.",
    },
    cwd: {
      type: "string",
      minLength: 1,
      description: 'Where it starts, from this file on; in a sandbox, from its home on: "./work".',
    },
    sandbox: {
      type: "boolean",
      description:
        "Whether the server itself runs in a sandbox of the session, of its own. It then has the programs, " +
        "the files and the network of that sandbox. Default: false.",
    },
    url: {
      type: "string",
      minLength: 1,
      description: 'A server over streamable HTTP: "https://mcp.example.com/mcp".',
    },
    headers: {
      ...texts,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as a person writes it.
      description: 'Sent with each request to it: { Authorization: "Bearer ${EXAMPLE_TOKEN}" }.',
    },
    auth: {
      type: "string",
      enum: ["oauth"],
      description:
        "How to get in: a person runs toolkeep mcp login <server>. May be left out where the server asks for it.",
    },
    oauth,
    paths: {
      type: "array",
      items: { type: "string", minLength: 1 },
      description:
        'Arguments of its tools that are paths, so that rules judge where they lead: ["path", "files[].source"].',
    },
    type: {
      type: "string",
      enum: ["stdio", "http", "streamable-http"],
      description: 'May be left out: "stdio" goes with command, "http" with url.',
    },
  },
  // Inside allOf because a type can't be inferred from these bare branches.
  allOf: [{ oneOf: [needs("command"), needs("url")] }],
  additionalProperties: false,
} as const

const mcpServers = {
  type: "object",
  description:
    "MCP servers whose tools appear as mcp:server:tool, by name, in the form that other clients use: " +
    '{ memory: { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] } }.',
  additionalProperties: mcpServer,
} as const

/** The JSON Schema of toolkeep.yaml. A further section is a further property. */
export const policySchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "toolkeep.yaml",
  description: "Which tools an agent may use, and when a person is asked.",
  type: "object",
  properties: {
    tools,
    agents: {
      type: "object",
      description: 'Overrides by agent: { "my-agent": { toolPolicy: "full" } }.',
      additionalProperties: {
        type: "object",
        properties: { toolPolicy: profileName, allow: patterns, deny: patterns, autonomy },
        additionalProperties: false,
      },
    },
    providers: {
      type: "object",
      description: 'Overrides by model provider: { anthropic: { deny: ["web.*"] } }.',
      additionalProperties: {
        type: "object",
        properties: { allow: patterns, deny: patterns },
        additionalProperties: false,
      },
    },
    images,
    dialects: {
      type: "array",
      items: { type: "string", minLength: 1 },
      description:
        'Files with vocabularies of your own, from this file on: ["./dialects/house.yaml"].',
    },
    network,
    search,
    models,
    memory,
    browser,
    disk,
    mcpServers,
  },
  additionalProperties: false,
} as const

/** What a policy file says. */
export type PolicyFile = InferSchema<typeof policySchema>

/** A policy as data: written in code, or read from a file, whose lines it then remembers. */
export interface PolicyConfig extends PolicyFile {
  readonly origin?: Origin
}

/** The sections that tools read: what they reach and which services they use. */
export type Settings = Pick<PolicyFile, "network" | "search" | "models" | "memory" | "browser">

/** One MCP server as toolkeep.yaml describes it. */
export type McpServerConfig = NonNullable<PolicyFile["mcpServers"]>[string]

/** An OpenAI-compatible endpoint. */
export type ModelEndpoint = NonNullable<NonNullable<Settings["models"]>["vision"]>

export interface ToolLists {
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
}

type Tools = NonNullable<PolicyFile["tools"]>
export type RuleConfig = NonNullable<Tools["rules"]>[number]
export type HooksConfig = NonNullable<Tools["hooks"]>
export type Autonomy = NonNullable<Tools["autonomy"]>
