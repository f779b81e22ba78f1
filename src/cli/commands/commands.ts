import { type Command, flag } from "../flags/command.ts"

const json = flag("json", "print JSON, as when piped")
const host = flag(
  "host HOST",
  "auto (default), bubblewrap, docker, kubernetes, opensandbox, memory or local",
)
const session = flag(
  "session NAME",
  "a durable session: its sandboxes' files are stored under this name",
)
const dialect = flag(
  "dialect NAME",
  "the dialect: flue, osaurus, cloudflare, openrath, flynn or a file.yaml",
)

const config = flag("config FILE", "the configuration file; default: ./toolkeep.yaml if it exists")

/** What decides which tools there are and what may run. */
const deciding = [
  config,
  flag("profile NAME", "the policy profile: minimal, messaging, coding, full"),
  flag("agent NAME", "the agent's name, for the policy"),
  flag("provider NAME", "the model's provider, for the policy"),
]

const defer = flag(
  "defer WHEN",
  "list only the common tools, the rest is found by search: on, off or auto (above 40 tools)",
)
const network = flag(
  "network WHAT",
  "network for commands: none, full, or domains such as example.com,example.org",
)
/** How the sandboxes of a server's clients are set up. */
const serving = [
  flag("sandbox NAME", "sandbox for calls that do not name one; default: default"),
  network,
  flag("mount-roots HOW", "mount the client's roots in the sandbox under /mnt: read or write"),
]
const results = flag(
  "results FORM",
  "what a result holds: text (default), structured content for programs, or both",
)
const persistAnswers = flag(
  "keep",
  "continue calls after the client disconnects, and store their answers",
)

export const commands: readonly Command[] = [
  {
    name: "run",
    usage: "run [task|-]",
    about: "let a model work on a task with the tools, in a recorded session",
    more:
      "A model is anthropic/MODEL, openai/MODEL, or URL#MODEL for a server that is compatible with OpenAI's, such as\n" +
      "http://127.0.0.1:11434/v1#qwen3. Ctrl-C ends the running calls; pressed again, it ends the run.\n" +
      "Exit codes: 0 done, 1 failure, 2 invalid command line, 3 a limit was reached, 4 a question waits for you\n" +
      "(toolkeep approve), 130 ended by you.",
    positionals: [0, 1],
    flags: [
      flag("model MODEL", "the model; default: TOOLKEEP_MODEL, or agent.model of toolkeep.yaml"),
      flag("session NAME", "the session to work in; default: a new one"),
      flag("continue", "continue that session, or the latest one"),
      flag(
        "from ENTRY",
        "first go back to this entry of the session, and to the files of that time",
      ),
      host,
      network,
      flag("instructions FILE", "a text that the model reads before the task"),
      flag("schema FILE", "a JSON Schema: print a value that satisfies it instead of a text"),
      flag("max-rounds N", "end after this many requests to the model; default: 100"),
      flag(
        "max-calls N",
        "allow this many calls, in all or by tool, such as 100,web.search=5; default: 1000",
      ),
      flag("max-commands N", "allow this many commands until your next message; default: 200"),
      flag("max-tokens N", "end after this many tokens, in requests and answers together"),
      flag("max-cost N", "end at this cost, by agent.prices of toolkeep.yaml"),
      flag("max-time TIME", "end after this time, such as 90s, 10m or 2h"),
      flag("yes", "approve whatever the policy would ask about"),
      flag("park", "do not ask here: questions wait until toolkeep approve answers them"),
      ...deciding.filter(({ name }) => name !== "provider"),
      flag("json", "print each entry of the record as a line of JSON"),
    ],
    load: async () => (await import("../run/run.ts")).run,
  },
  {
    name: "approve",
    usage: "approve [question]",
    about: "answer a question of a run and continue it; list the open questions",
    more:
      "Without a question it lists all that are open. With one it approves the call, or answers as the flags say.\n" +
      "The run then continues here, unless another process has its session open.",
    positionals: [0, 1],
    flags: [
      flag("always", "do not ask about this tool again in this session"),
      flag("deny REASON", "refuse the call; the model reads the reason"),
      flag("edit JSON", "run the call with these arguments instead"),
      flag("say TEXT", "the answer to a question of the model"),
      flag("withdraw TOOL", "ask about this tool again in the session that --session names"),
      flag("session NAME", "for --withdraw: the session"),
      flag("no-run", "only answer"),
      config,
      flag("json", "print the list as JSON, and the run as toolkeep run --json does"),
    ],
    load: async () => (await import("../run/approve.ts")).approve,
  },
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
      network,
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
      flag("format FORMAT", "anthropic, openai, openai-responses, gemini or mcp"),
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
      results,
      persistAnswers,
      flag("port PORT", "for mcp login: the port of the redirect; default: 7719, or a free one"),
      ...deciding,
      json,
    ],
    load: async ({ positionals }) =>
      positionals.length === 0
        ? (await import("../serve/serve-mcp.ts")).serveMcp
        : (await import("../serve/mcp-servers.ts")).mcpServers,
  },
  {
    name: "up",
    usage: "up",
    about: "serve the tools to MCP clients over HTTP and show their calls",
    positionals: [0, 0],
    flags: [
      flag("port PORT", "the port to listen on; default: PORT, 7700, or a free one"),
      flag(
        "listen HOST:PORT",
        "another address to listen at; beyond this machine only tokens protect it",
      ),
      flag("public-url URL", "another address that leads here, such as a proxy's or a tunnel's"),
      flag("no-console", "do not serve the console"),
      flag("opensandbox", "also serve OpenSandbox's API, at /v1"),
      flag("e2b", "also serve E2B's API, at /e2b"),
      host,
      dialect,
      defer,
      ...serving,
      results,
      persistAnswers,
      ...deciding,
    ],
    load: async () => (await import("../serve/serve-up.ts")).serveUp,
  },
  {
    name: "dev",
    usage: "dev <pattern.tsx>",
    about: "run a reactive pattern, show it as a live page, and reload it when its file changes",
    positionals: [1, 1],
    flags: [
      flag(
        "input NAME=VALUE",
        "an input of the pattern, as JSON or as text; may be given several times",
      ),
      flag("store FILE", "a file that keeps inputs, writables and results for the next start"),
      flag("image NAME", "the image of steps that name none; default: node:22"),
      flag("model MODEL", "the model of generateText; default: as toolkeep run finds it"),
      flag("port PORT", "the port to listen on; default: PORT, 7700, or a free one"),
      host,
      network,
      ...deciding.filter(({ name }) => name !== "provider"),
    ],
    load: async () => (await import("../dev/serve-dev.ts")).serveDev,
  },
  {
    name: "link",
    usage: "link",
    about: "print a link that opens the console of the running server and signs in one browser",
    positionals: [0, 0],
    flags: [],
    load: async () => (await import("../serve/link.ts")).link,
  },
  {
    name: "init",
    usage: "init",
    about: "write a commented toolkeep.yaml to this directory",
    positionals: [0, 0],
    flags: [],
    load: async () => (await import("./init.ts")).init,
  },
  {
    name: "policy",
    usage: "policy explain <tool> [json]",
    about: "explain which rule decides on a tool",
    positionals: [2, 3],
    flags: [
      flag("session NAME", "also show what --always has granted in this session"),
      host,
      ...deciding,
      json,
    ],
    load: async () => (await import("./explain-policy.ts")).explainPolicy,
  },
  {
    name: "sessions",
    usage: "sessions list | show ...",
    about: "list, show, delete, export and import recorded sessions",
    more:
      "sessions list shows them, the latest first; sessions show <name> prints what happened in one of them;\n" +
      "sessions delete <name> deletes it with its sandboxes' files and artifacts;\n" +
      "sessions export <name> writes it as JSON lines, sessions import <file> reads such a file;\n" +
      "sessions release <name> frees a session of a process on another machine that has ended.",
    positionals: [1, 2],
    flags: [
      flag("follow", "for show: keep printing new entries, until Ctrl-C"),
      flag("out FILE", "for export: a new file to write; default: standard output"),
      flag("name NAME", "for import: another name for the session"),
      config,
      json,
    ],
    load: async () => (await import("./sessions.ts")).sessions,
  },
  {
    name: "replay",
    usage: "replay <session>",
    about: "replay a recorded session without a model and report differences",
    positionals: [1, 1],
    flags: [
      flag("live", "run the tools again, instead of taking their recorded answers"),
      host,
      network,
      ...deciding,
      json,
    ],
    load: async () => (await import("./replay.ts")).replay,
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
  {
    name: "kubernetes",
    usage: "kubernetes <what>",
    about: "role, manifest or networks: prepare a cluster for sandboxes",
    more:
      "  role      print the Role with the rights that the kubernetes host needs\n" +
      "  manifest  print all that runs Toolkeep in a cluster\n" +
      "  networks  try with two pods whether the cluster can close a sandbox's network\n" +
      "For one namespace: toolkeep kubernetes role | kubectl apply --namespace NAME --filename -",
    positionals: [1, 1],
    flags: [],
    load: async () => (await import("./kubernetes.ts")).kubernetes,
  },
  {
    name: "completion",
    usage: "completion <shell>",
    about: "print a completion script for bash, zsh or fish",
    more:
      'For bash, in ~/.bashrc:   eval "$(toolkeep completion bash)"\n' +
      'For zsh, in ~/.zshrc:     eval "$(toolkeep completion zsh)"\n' +
      "For fish:                 toolkeep completion fish > ~/.config/fish/completions/toolkeep.fish",
    positionals: [1, 1],
    flags: [],
    load: async () => {
      const { completion } = await import("./completion.ts")
      return completion(commands)
    },
  },
]
