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
  tools [name]                  list the tools that this host can keep and the policy shows
  mcp [list | login ...]        serve the tools to an MCP client on standard input and output
  up                            serve the tools to any number of MCP clients over HTTP, and show their calls
  policy explain <tool> [json]  show which rule decides about a tool
  conform [file]                measure whether a host keeps its promises
  clean                         remove what nobody has used for long: artifacts, sessions, snapshots, images, programs
  doctor                        which hosts work here, what each can promise, and why not

toolkeep <command> --help shows the flags of a command; toolkeep --version the version.
Exit codes: 0 the call is ok, 1 it failed, 2 the command line is wrong.

For example:
  toolkeep call shell.exec '{"command": "echo hello"}'
`)
})

it("the help of toolkeep call is as pinned", async () => {
  expect(await help("call")).toBe(`Usage: toolkeep call <tool> [json|-] [flags]

Call one tool and print its envelope.

  --host HOST      auto (default), bubblewrap, docker, memory or local
  --sandbox NAME   the sandbox to run in; made on first use
  --session NAME   keep the sandboxes' files, and find them again under this name
  --cwd DIR        where paths start; with --host local, the directory to work in
  --timeout MS     end the call after this many milliseconds
  --batch          read lines {"id", "tool", "input"}, answer each with {"id", "envelope"}
  --dialect NAME   another vocabulary: flue, osaurus, cloudflare, openrath, flynn or a file.yaml
  --config FILE    the configuration; ./toolkeep.yaml when there is one
  --profile NAME   the policy profile: minimal, messaging, coding, full
  --agent NAME     who asks, for the policy
  --provider NAME  whose model asks, for the policy
  --json           JSON, as on a pipe
  --help           show this help
`)
})

it("the help of the other commands is as pinned", async () => {
  expect(await help("tools")).toBe(`Usage: toolkeep tools [name] [flags]

List the tools that this host can keep and the policy shows.

  --host HOST      auto (default), bubblewrap, docker, memory or local
  --format FORMAT  anthropic, openai or mcp
  --dialect NAME   another vocabulary: flue, osaurus, cloudflare, openrath, flynn or a file.yaml
  --defer WHEN     list what a model is told of at first: on, off or auto (above 40 tools)
  --config FILE    the configuration; ./toolkeep.yaml when there is one
  --profile NAME   the policy profile: minimal, messaging, coding, full
  --agent NAME     who asks, for the policy
  --provider NAME  whose model asks, for the policy
  --json           JSON, as on a pipe
  --help           show this help
`)
  expect(await help("mcp")).toBe(`Usage: toolkeep mcp [list | login ...] [flags]

Serve the tools to an MCP client on standard input and output.
mcp list shows the MCP servers that toolkeep.yaml bridges in, with their tools and why one is held back;
mcp approve <server> [tool] lets through what has changed since it was first seen;
mcp login <server> has a person log in to a server with a url, mcp logout <server> forgets it.

  --host HOST        auto (default), bubblewrap, docker, memory or local
  --dialect NAME     another vocabulary: flue, osaurus, cloudflare, openrath, flynn or a file.yaml
  --defer WHEN       tell models of the usual tools, others are searched: on, off or auto (above 40 tools)
  --sandbox NAME     where calls run that name no sandbox; default
  --network WHAT     the most that commands may reach: none, full, or domains such as example.com,example.org
  --mount-roots HOW  show the client's roots in the sandbox, under /mnt: read, or write
  --session NAME     keep the sandboxes' files, and find them again under this name
  --keep             let calls go on when the client is gone, and keep their answers
  --port PORT        for mcp login: where the browser comes back to; 7719, or a free one
  --config FILE      the configuration; ./toolkeep.yaml when there is one
  --profile NAME     the policy profile: minimal, messaging, coding, full
  --agent NAME       who asks, for the policy
  --provider NAME    whose model asks, for the policy
  --json             JSON, as on a pipe
  --help             show this help
`)
  expect(await help("up")).toBe(`Usage: toolkeep up [flags]

Serve the tools to any number of MCP clients over HTTP, and show their calls.

  --port PORT        where to listen; 7700, or a free one
  --host HOST        auto (default), bubblewrap, docker, memory or local
  --dialect NAME     another vocabulary: flue, osaurus, cloudflare, openrath, flynn or a file.yaml
  --defer WHEN       tell models of the usual tools, others are searched: on, off or auto (above 40 tools)
  --sandbox NAME     where calls run that name no sandbox; default
  --network WHAT     the most that commands may reach: none, full, or domains such as example.com,example.org
  --mount-roots HOW  show the client's roots in the sandbox, under /mnt: read, or write
  --keep             let calls go on when the client is gone, and keep their answers
  --config FILE      the configuration; ./toolkeep.yaml when there is one
  --profile NAME     the policy profile: minimal, messaging, coding, full
  --agent NAME       who asks, for the policy
  --provider NAME    whose model asks, for the policy
  --help             show this help
`)
  expect(await help("policy")).toBe(`Usage: toolkeep policy explain <tool> [json] [flags]

Show which rule decides about a tool.

  --host HOST      auto (default), bubblewrap, docker, memory or local
  --config FILE    the configuration; ./toolkeep.yaml when there is one
  --profile NAME   the policy profile: minimal, messaging, coding, full
  --agent NAME     who asks, for the policy
  --provider NAME  whose model asks, for the policy
  --json           JSON, as on a pipe
  --help           show this help
`)
  expect(await help("conform")).toBe(`Usage: toolkeep conform [file] [flags]

Measure whether a host keeps its promises.

  --host HOST  auto (default), bubblewrap, docker, memory or local
  --only IDS   checks or topics, such as timeouts,links.loop
  --json       JSON, as on a pipe
  --help       show this help
`)
  expect(await help("clean")).toBe(`Usage: toolkeep clean [flags]

Remove what nobody has used for long: artifacts, sessions, snapshots, images, programs.
Artifacts, snapshots, unpacked images and copies of programs go 30 days after their last use, sessions with
their sandboxes after 90, and what an ended Toolkeep has left at once. Servers do the same by themselves.
What a running Toolkeep has, memory, logins and settings stay.

  --dry-run         only say what would be removed, and how much that is
  --older-than AGE  in place of these ages, such as 7d, 12h or 30m
  --json            JSON, as on a pipe
  --help            show this help
`)
  expect(await help("doctor")).toBe(`Usage: toolkeep doctor [flags]

Which hosts work here, what each can promise, and why not.

  --json  JSON, as on a pipe
  --help  show this help
`)
})
