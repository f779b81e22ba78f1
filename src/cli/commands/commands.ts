import { type Command, flag } from "../flags/command.ts"

const json = flag("json", "print JSON, as when piped")
const host = flag("host HOST", "auto (default), bubblewrap, docker, memory or local")
const session = flag(
  "session NAME",
  "a durable session: its sandboxes' files are stored under this name",
)
const dialect = flag(
  "dialect NAME",
  "the dialect: flue, osaurus, cloudflare, openrath, flynn or a file.yaml",
)

/** What decides which tools there are and what may run. */
const deciding = [
  flag("config FILE", "the configuration file; default: ./toolkeep.yaml if it exists"),
  flag("profile NAME", "the policy profile: minimal, messaging, coding, full"),
  flag("agent NAME", "the agent's name, for the policy"),
  flag("provider NAME", "the model's provider, for the policy"),
]

const defer = flag(
  "defer WHEN",
  "list only the common tools, the rest is found by search: on, off or auto (above 40 tools)",
)
/** How the sandboxes of a server's clients are set up. */
const serving = [
  flag("sandbox NAME", "sandbox for calls that do not name one; default: default"),
  flag(
    "network WHAT",
    "network for commands: none, full, or domains such as example.com,example.org",
  ),
  flag("mount-roots HOW", "mount the client's roots in the sandbox under /mnt: read or write"),
]
const persistAnswers = flag(
  "keep",
  "continue calls after the client disconnects, and store their answers",
)

export const commands: readonly Command[] = [
  {
    name: "call",
    usage: "call <tool> [json|-]",
    about: "call one tool and print its envelope",
    positionals: [0, 2],
    flags: [
      host,
      flag("sandbox NAME", "the sandbox to run in; created on first use"),
      session,
      flag("cwd DIR", "the base of relative paths; with --host local, the working directory"),
      flag("timeout MS", "stop the call after this many milliseconds"),
      flag("batch", 'read {"id", "tool", "input"} lines and answer each with {"id", "envelope"}'),
      dialect,
      ...deciding,
      json,
    ],
    load: async () => (await import("./call.ts")).call,
  },
  {
    name: "tools",
    usage: "tools [name]",
    about: "list the tools that the host supports and the policy shows",
    positionals: [0, 1],
    flags: [
      host,
      flag("format FORMAT", "anthropic, openai or mcp"),
      dialect,
      flag(
        "defer WHEN",
        "list only the tools that a model sees at first: on, off or auto (above 40 tools)",
      ),
      ...deciding,
      json,
    ],
    load: async () => (await import("./list-tools.ts")).listTools,
  },
  {
    name: "mcp",
    usage: "mcp [list | login ...]",
    about: "serve the tools to an MCP client on standard input and output",
    more:
      "mcp list shows the bridged MCP servers of toolkeep.yaml, their tools, and why a tool is held back;\n" +
      "mcp approve <server> [tool] approves definitions that have changed since they were first seen;\n" +
      "mcp login <server> logs in to a server with a url, mcp logout <server> removes the login.",
    positionals: [0, 3],
    flags: [
      host,
      dialect,
      defer,
      ...serving,
      session,
      persistAnswers,
      flag("port PORT", "for mcp login: the port of the redirect; default: 7719, or a free one"),
      ...deciding,
      json,
    ],
    load: async ({ positionals }) =>
      positionals.length === 0
        ? (await import("./serve-mcp.ts")).serveMcp
        : (await import("./mcp-servers.ts")).mcpServers,
  },
  {
    name: "up",
    usage: "up",
    about: "serve the tools to MCP clients over HTTP and show their calls",
    positionals: [0, 0],
    flags: [
      flag("port PORT", "the port to listen on; default: 7700, or a free one"),
      host,
      dialect,
      defer,
      ...serving,
      persistAnswers,
      ...deciding,
    ],
    load: async () => (await import("./serve-up.ts")).serveUp,
  },
  {
    name: "policy",
    usage: "policy explain <tool> [json]",
    about: "explain which rule decides on a tool",
    positionals: [2, 3],
    flags: [host, ...deciding, json],
    load: async () => (await import("./explain-policy.ts")).explainPolicy,
  },
  {
    name: "conform",
    usage: "conform [file]",
    about: "test whether a host keeps its promises",
    positionals: [0, 1],
    flags: [
      host,
      flag("only IDS", "only these checks or topics, such as timeouts,links.loop"),
      json,
    ],
    load: async () => (await import("./conform.ts")).conform,
  },
  {
    name: "clean",
    usage: "clean",
    about: "remove unused artifacts, sessions, snapshots, images and programs",
    more:
      "Artifacts, snapshots, unpacked images and copied programs are removed 30 days after their last use, sessions\n" +
      "with their sandboxes after 90 days, and leftovers of ended processes at once. Servers also do this on their own.\n" +
      "Files of running processes, memory, logins and settings are not removed.",
    positionals: [0, 0],
    flags: [
      flag("dry-run", "only print what would be removed and its size"),
      flag("older-than AGE", "use this age for everything, such as 7d, 12h or 30m"),
      json,
    ],
    load: async () => (await import("./clean.ts")).clean,
  },
  {
    name: "doctor",
    usage: "doctor",
    about: "show which hosts work here, what they support, and why others do not",
    positionals: [0, 0],
    flags: [json],
    load: async () => (await import("./doctor.ts")).doctor,
  },
]
