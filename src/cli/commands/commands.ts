import type { Command, Flag } from "../flags/command.ts"

const json: Flag = { name: "json", about: "print JSON, as when piped" }
const host: Flag = {
  name: "host",
  value: "HOST",
  about: "auto (default), bubblewrap, docker, memory or local",
}
const config: Flag = {
  name: "config",
  value: "FILE",
  about: "the configuration file; default: ./toolkeep.yaml if it exists",
}
const profile: Flag = {
  name: "profile",
  value: "NAME",
  about: "the policy profile: minimal, messaging, coding, full",
}
const agent: Flag = { name: "agent", value: "NAME", about: "the agent's name, for the policy" }
const provider: Flag = {
  name: "provider",
  value: "NAME",
  about: "the model's provider, for the policy",
}

const session: Flag = {
  name: "session",
  value: "NAME",
  about: "a durable session: its sandboxes' files are stored under this name",
}

const servedSandbox: Flag = {
  name: "sandbox",
  value: "NAME",
  about: "sandbox for calls that do not name one; default: default",
}
const network: Flag = {
  name: "network",
  value: "WHAT",
  about: "network for commands: none, full, or domains such as example.com,example.org",
}
const mountRoots: Flag = {
  name: "mount-roots",
  value: "HOW",
  about: "mount the client's roots in the sandbox under /mnt: read or write",
}
const persistAnswers: Flag = {
  name: "keep",
  about: "continue calls after the client disconnects, and store their answers",
}
const dialect: Flag = {
  name: "dialect",
  value: "NAME",
  about: "the dialect: flue, osaurus, cloudflare, openrath, flynn or a file.yaml",
}

const defer: Flag = {
  name: "defer",
  value: "WHEN",
  about:
    "list only the common tools, the rest is found by search: on, off or auto (above 40 tools)",
}

/** What decides which tools there are and what may run. */
const deciding = [config, profile, agent, provider]

export const commands: readonly Command[] = [
  {
    name: "call",
    usage: "call <tool> [json|-]",
    about: "call one tool and print its envelope",
    positionals: { least: 0, most: 2 },
    flags: [
      host,
      { name: "sandbox", value: "NAME", about: "the sandbox to run in; created on first use" },
      session,
      {
        name: "cwd",
        value: "DIR",
        about: "the base of relative paths; with --host local, the working directory",
      },
      { name: "timeout", value: "MS", about: "stop the call after this many milliseconds" },
      {
        name: "batch",
        about: 'read {"id", "tool", "input"} lines and answer each with {"id", "envelope"}',
      },
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
    positionals: { least: 0, most: 1 },
    flags: [
      host,
      { name: "format", value: "FORMAT", about: "anthropic, openai or mcp" },
      dialect,
      {
        name: "defer",
        value: "WHEN",
        about: "list only the tools that a model sees at first: on, off or auto (above 40 tools)",
      },
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
    positionals: { least: 0, most: 3 },
    flags: [
      host,
      dialect,
      defer,
      servedSandbox,
      network,
      mountRoots,
      session,
      persistAnswers,
      {
        name: "port",
        value: "PORT",
        about: "for mcp login: the port of the redirect; default: 7719, or a free one",
      },
      ...deciding,
      json,
    ],
    load: async () => (await import("./mcp.ts")).mcp,
  },
  {
    name: "up",
    usage: "up",
    about: "serve the tools to MCP clients over HTTP and show their calls",
    positionals: { least: 0, most: 0 },
    flags: [
      { name: "port", value: "PORT", about: "the port to listen on; default: 7700, or a free one" },
      host,
      dialect,
      defer,
      servedSandbox,
      network,
      mountRoots,
      persistAnswers,
      ...deciding,
    ],
    load: async () => (await import("./serve-up.ts")).serveUp,
  },
  {
    name: "policy",
    usage: "policy explain <tool> [json]",
    about: "explain which rule decides on a tool",
    positionals: { least: 2, most: 3 },
    flags: [host, ...deciding, json],
    load: async () => (await import("./explain-policy.ts")).explainPolicy,
  },
  {
    name: "conform",
    usage: "conform [file]",
    about: "test whether a host keeps its promises",
    positionals: { least: 0, most: 1 },
    flags: [
      host,
      {
        name: "only",
        value: "IDS",
        about: "only these only these checks or topics, such as timeouts,links.loop",
      },
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
    positionals: { least: 0, most: 0 },
    flags: [
      { name: "dry-run", about: "only print what would be removed and its size" },
      {
        name: "older-than",
        value: "AGE",
        about: "use this age for everything, such as 7d, 12h or 30m",
      },
      json,
    ],
    load: async () => (await import("./clean.ts")).clean,
  },
  {
    name: "doctor",
    usage: "doctor",
    about: "show which hosts work here, what they support, and why others do not",
    positionals: { least: 0, most: 0 },
    flags: [json],
    load: async () => (await import("./doctor.ts")).doctor,
  },
]
