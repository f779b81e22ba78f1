import { needs, text, textList } from "./policy-schema.ts"

const texts = { type: "object", additionalProperties: { type: "string" } } as const

const oauth = {
  type: "object",
  description: "OAuth settings for a server that does not register clients itself.",
  examples: [{ client_id: "toolkeep", scope: "read" }],
  properties: {
    client_id: {
      ...text,
      description:
        "The client id under which Toolkeep is registered with the redirect URI http://127.0.0.1:7719/callback, or " +
        "the https address of a client metadata document.",
      examples: ["toolkeep"],
    },
    client_secret: {
      ...text,
      description: "The client secret, best taken from the environment.",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written in the file.
      examples: ["${EXAMPLE_SECRET}"],
    },
    scope: {
      ...text,
      description: "The scopes to request instead of those that the server names.",
      examples: ["read write"],
    },
    grant: {
      type: "string",
      enum: ["authorization_code", "client_credentials"],
      description:
        "authorization_code: a person logs in. client_credentials: Toolkeep authenticates with its own id and secret. Default: authorization_code.",
    },
    issuer: {
      ...text,
      description: "The only authorization server that receives the client secret.",
      examples: ["https://login.example.com"],
    },
  },
  additionalProperties: false,
} as const

const mcpServer = {
  type: "object",
  properties: {
    command: {
      ...text,
      description: "The program of a server on standard input and output.",
      examples: ["npx"],
    },
    args: {
      type: "array",
      items: { type: "string" },
      description: "The program's arguments.",
      examples: [["-y", "@modelcontextprotocol/server-memory"]],
    },
    env: {
      ...texts,
      description:
        // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written in the file.
        "Environment variables for the program, besides PATH, HOME and similar. ${NAME} is replaced by a variable of " +
        "Toolkeep's own environment.",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written in the file.
      examples: [{ GITHUB_TOKEN: "${GITHUB_TOKEN}" }],
    },
    cwd: {
      ...text,
      description:
        "The program's working directory, relative to this file; in a sandbox, relative to its home.",
      examples: ["./work"],
    },
    sandbox: {
      type: "boolean",
      description:
        "Whether the server runs in its own sandbox of the session, with that sandbox's programs, files and network. Default: false.",
    },
    url: {
      ...text,
      description: "The address of a server over streamable HTTP.",
      examples: ["https://mcp.example.com/mcp"],
    },
    headers: {
      ...texts,
      description: "Headers for every request to the server.",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written in the file.
      examples: [{ Authorization: "Bearer ${EXAMPLE_TOKEN}" }],
    },
    auth: {
      type: "string",
      enum: ["oauth"],
      description:
        "The server needs a login: a person runs toolkeep mcp login <server>. Optional if the server asks for it.",
    },
    oauth,
    paths: {
      ...textList,
      description: "Arguments of the server's tools that are paths, so that rules apply to them.",
      examples: [["path", "files[].source"]],
    },
    type: {
      type: "string",
      enum: ["stdio", "http", "streamable-http"],
      description: "Optional: stdio is for command, http for url.",
    },
  },
  // Inside allOf because a type can't be inferred from these bare branches.
  allOf: [{ oneOf: [needs("command"), needs("url")] }],
  additionalProperties: false,
} as const

export const mcpServers = {
  type: "object",
  description:
    "MCP servers whose tools are bridged in as mcp:server:tool, by name. Each has either command or url. The " +
    "form is the one that other MCP clients use.",
  examples: [{ memory: { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] } }],
  additionalProperties: mcpServer,
} as const
