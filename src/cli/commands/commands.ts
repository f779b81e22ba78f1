import type { Command, Flag } from "../flags/command.ts"

const json: Flag = { name: "json", about: "JSON, as on a pipe" }
const host: Flag = {
  name: "host",
  value: "HOST",
  about: "auto (default), bubblewrap, docker, memory or local",
}
const config: Flag = {
  name: "config",
  value: "FILE",
  about: "the configuration; ./toolkeep.yaml when there is one",
}
const profile: Flag = {
  name: "profile",
  value: "NAME",
  about: "the policy profile: minimal, messaging, coding, full",
}
const agent: Flag = { name: "agent", value: "NAME", about: "who asks, for the policy" }
const provider: Flag = {
  name: "provider",
  value: "NAME",
  about: "whose model asks, for the policy",
}

const session: Flag = {
  name: "session",
  value: "NAME",
  about: "keep the sandboxes' files, and find them again under this name",
}

const servedSandbox: Flag = {
  name: "sandbox",
  value: "NAME",
  about: "where calls run that name no sandbox; default",
}
const network: Flag = {
  name: "network",
  value: "WHAT",
  about: "the most that commands may reach: none, full, or domains such as example.com,example.org",
}
const mountRoots: Flag = {
  name: "mount-roots",
  value: "HOW",
  about: "show the client's roots in the sandbox, under /mnt: read, or write",
}
const persistAnswers: Flag = {
  name: "keep",
  about: "let calls go on when the client is gone, and keep their answers",
}
const dialect: Flag = {
  name: "dialect",
  value: "NAME",
  about: "another vocabulary: flue, osaurus, cloudflare, openrath, flynn or a file.yaml",
}

const defer: Flag = {
  name: "defer",
  value: "WHEN",
  about: "tell models of the usual tools, others are searched: on, off or auto (above 40 tools)",
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
      { name: "sandbox", value: "NAME", about: "the sandbox to run in; made on first use" },
      session,
      {
        name: "cwd",
        value: "DIR",
        about: "where paths start; with --host local, the directory to work in",
      },
      { name: "timeout", value: "MS", about: "end the call after this many milliseconds" },
      {
        name: "batch",
        about: 'read lines {"id", "tool", "input"}, answer each with {"id", "envelope"}',
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
    about: "list the tools that this host can keep and the policy shows",
    positionals: { least: 0, most: 1 },
    flags: [
      host,
      { name: "format", value: "FORMAT", about: "anthropic, openai or mcp" },
      dialect,
      {
        name: "defer",
        value: "WHEN",
        about: "list what a model is told of at first: on, off or auto (above 40 tools)",
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
      "mcp list shows the MCP servers that toolkeep.yaml bridges in, with their tools and why one is held back;\n" +
      "mcp approve <server> [tool] lets through what has changed since it was first seen;\n" +
      "mcp login <server> has a person log in to a server with a url, mcp logout <server> forgets it.",
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
        about: "for mcp login: where the browser comes back to; 7719, or a free one",
      },
      ...deciding,
      json,
    ],
    load: async () => (await import("./mcp.ts")).mcp,
  },
  {
    name: "up",
    usage: "up",
    about: "serve the tools to any number of MCP clients over HTTP, and show their calls",
    positionals: { least: 0, most: 0 },
    flags: [
      { name: "port", value: "PORT", about: "where to listen; 7700, or a free one" },
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
    about: "show which rule decides about a tool",
    positionals: { least: 2, most: 3 },
    flags: [host, ...deciding, json],
    load: async () => (await import("./explain-policy.ts")).explainPolicy,
  },
  {
    name: "conform",
    usage: "conform [file]",
    about: "measure whether a host keeps its promises",
    positionals: { least: 0, most: 1 },
    flags: [
      host,
      { name: "only", value: "IDS", about: "checks or topics, such as timeouts,links.loop" },
      json,
    ],
    load: async () => (await import("./conform.ts")).conform,
  },
  {
    name: "clean",
    usage: "clean",
    about: "remove what nobody has used for long: artifacts, sessions, snapshots, images, programs",
    more:
      "Artifacts, snapshots, unpacked images and copies of programs go 30 days after their last use, sessions with\n" +
      "their sandboxes after 90, and what an ended Toolkeep has left at once. Servers do the same by themselves.\n" +
      "What a running Toolkeep has, memory, logins and settings stay.",
    positionals: { least: 0, most: 0 },
    flags: [
      { name: "dry-run", about: "only say what would be removed, and how much that is" },
      { name: "older-than", value: "AGE", about: "in place of these ages, such as 7d, 12h or 30m" },
      json,
    ],
    load: async () => (await import("./clean.ts")).clean,
  },
  {
    name: "doctor",
    usage: "doctor",
    about: "which hosts work here, what each can promise, and why not",
    positionals: { least: 0, most: 0 },
    flags: [json],
    load: async () => (await import("./doctor.ts")).doctor,
  },
]
