import { expect, it } from "vitest"
import { runCli } from "../e2e/run-cli.ts"

const help = async (...args: string[]) => {
  const { exitCode, stdout } = await runCli([...args, "--help"])
  expect(exitCode).toBe(0)
  return stdout
}

it("the help of toolkeep is as pinned", async () => {
  expect(await help()).toBe(`Toolkeep: tools for AI agents that keep their word.

Usage: toolkeep <command>

  call <tool> [json|-]          call one tool and print its envelope
  tools [name]                  list the tools that the host supports and the policy shows
  mcp [list | login ...]        serve the tools to an MCP client on standard input and output
  up                            serve the tools to MCP clients over HTTP and show their calls
  policy explain <tool> [json]  explain which rule decides on a tool
  conform [file]                test whether a host keeps its promises
  clean                         remove unused artifacts, sessions, snapshots, images and programs
  doctor                        show which hosts work here, what they support, and why others do not

toolkeep <command> --help shows the flags of a command, toolkeep --version the version.
Exit codes: 0 success, 1 failure, 2 invalid command line.

For example:
  toolkeep call shell.exec '{"command": "echo hello"}'
`)
})

it("the help of toolkeep call is as pinned", async () => {
  expect(await help("call")).toBe(`Usage: toolkeep call <tool> [json|-] [flags]

Call one tool and print its envelope.

  --host HOST      auto (default), bubblewrap, docker, memory or local
  --sandbox NAME   the sandbox to run in; created on first use
  --session NAME   a durable session: its sandboxes' files are stored under this name
  --cwd DIR        the base of relative paths; with --host local, the working directory
  --timeout MS     stop the call after this many milliseconds
  --batch          read {"id", "tool", "input"} lines and answer each with {"id", "envelope"}
  --dialect NAME   the dialect: flue, osaurus, cloudflare, openrath, flynn or a file.yaml
  --config FILE    the configuration file; default: ./toolkeep.yaml if it exists
  --profile NAME   the policy profile: minimal, messaging, coding, full
  --agent NAME     the agent's name, for the policy
  --provider NAME  the model's provider, for the policy
  --json           print JSON, as when piped
  --help           show this help
`)
})

it("the help of the other commands is as pinned", async () => {
  expect(await help("tools")).toBe(`Usage: toolkeep tools [name] [flags]

List the tools that the host supports and the policy shows.

  --host HOST      auto (default), bubblewrap, docker, memory or local
  --format FORMAT  anthropic, openai or mcp
  --dialect NAME   the dialect: flue, osaurus, cloudflare, openrath, flynn or a file.yaml
  --defer WHEN     list only the tools that a model sees at first: on, off or auto (above 40 tools)
  --config FILE    the configuration file; default: ./toolkeep.yaml if it exists
  --profile NAME   the policy profile: minimal, messaging, coding, full
  --agent NAME     the agent's name, for the policy
  --provider NAME  the model's provider, for the policy
  --json           print JSON, as when piped
  --help           show this help
`)
  expect(await help("mcp")).toBe(`Usage: toolkeep mcp [list | login ...] [flags]

Serve the tools to an MCP client on standard input and output.
mcp list shows the bridged MCP servers of toolkeep.yaml, their tools, and why a tool is held back;
mcp approve <server> [tool] approves definitions that have changed since they were first seen;
mcp login <server> logs in to a server with a url, mcp logout <server> removes the login.

  --host HOST        auto (default), bubblewrap, docker, memory or local
  --dialect NAME     the dialect: flue, osaurus, cloudflare, openrath, flynn or a file.yaml
  --defer WHEN       list only the common tools, the rest is found by search: on, off or auto (above 40 tools)
  --sandbox NAME     sandbox for calls that do not name one; default: default
  --network WHAT     network for commands: none, full, or domains such as example.com,example.org
  --mount-roots HOW  mount the client's roots in the sandbox under /mnt: read or write
  --session NAME     a durable session: its sandboxes' files are stored under this name
  --keep             continue calls after the client disconnects, and store their answers
  --port PORT        for mcp login: the port of the redirect; default: 7719, or a free one
  --config FILE      the configuration file; default: ./toolkeep.yaml if it exists
  --profile NAME     the policy profile: minimal, messaging, coding, full
  --agent NAME       the agent's name, for the policy
  --provider NAME    the model's provider, for the policy
  --json             print JSON, as when piped
  --help             show this help
`)
  expect(await help("up")).toBe(`Usage: toolkeep up [flags]

Serve the tools to MCP clients over HTTP and show their calls.

  --port PORT        the port to listen on; default: 7700, or a free one
  --host HOST        auto (default), bubblewrap, docker, memory or local
  --dialect NAME     the dialect: flue, osaurus, cloudflare, openrath, flynn or a file.yaml
  --defer WHEN       list only the common tools, the rest is found by search: on, off or auto (above 40 tools)
  --sandbox NAME     sandbox for calls that do not name one; default: default
  --network WHAT     network for commands: none, full, or domains such as example.com,example.org
  --mount-roots HOW  mount the client's roots in the sandbox under /mnt: read or write
  --keep             continue calls after the client disconnects, and store their answers
  --config FILE      the configuration file; default: ./toolkeep.yaml if it exists
  --profile NAME     the policy profile: minimal, messaging, coding, full
  --agent NAME       the agent's name, for the policy
  --provider NAME    the model's provider, for the policy
  --help             show this help
`)
  expect(await help("policy")).toBe(`Usage: toolkeep policy explain <tool> [json] [flags]

Explain which rule decides on a tool.

  --host HOST      auto (default), bubblewrap, docker, memory or local
  --config FILE    the configuration file; default: ./toolkeep.yaml if it exists
  --profile NAME   the policy profile: minimal, messaging, coding, full
  --agent NAME     the agent's name, for the policy
  --provider NAME  the model's provider, for the policy
  --json           print JSON, as when piped
  --help           show this help
`)
  expect(await help("conform")).toBe(`Usage: toolkeep conform [file] [flags]

Test whether a host keeps its promises.

  --host HOST  auto (default), bubblewrap, docker, memory or local
  --only IDS   only these checks or topics, such as timeouts,links.loop
  --json       print JSON, as when piped
  --help       show this help
`)
  expect(await help("clean")).toBe(`Usage: toolkeep clean [flags]

Remove unused artifacts, sessions, snapshots, images and programs.
Artifacts, snapshots, unpacked images and copied programs are removed 30 days after their last use, sessions
with their sandboxes after 90 days, and leftovers of ended processes at once. Servers also do this on their own.
Files of running processes, memory, logins and settings are not removed.

  --dry-run         only print what would be removed and its size
  --older-than AGE  use this age for everything, such as 7d, 12h or 30m
  --json            print JSON, as when piped
  --help            show this help
`)
  expect(await help("doctor")).toBe(`Usage: toolkeep doctor [flags]

Show which hosts work here, what they support, and why others do not.

  --json  print JSON, as when piped
  --help  show this help
`)
})
