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

  run [task|-]                  let a model work on a task with the tools, in a recorded session
  approve [question]            answer a question of a run and continue it; list the open questions
  call <tool> [json|-]          call one tool and print its envelope
  tools [name]                  list the tools that the host supports and the policy shows
  mcp [list | login ...]        serve the tools to an MCP client on standard input and output
  up                            serve the tools to MCP clients over HTTP and show their calls
  dev <pattern.tsx>             run a reactive pattern, show it as a live page, and reload it when its file changes
  link                          print a link that opens the console of the running server and signs in one browser
  init                          write a commented toolkeep.yaml to this directory
  policy explain <tool> [json]  explain which rule decides on a tool
  sessions list | show ...      list, show, delete, export and import recorded sessions
  replay <session>              replay a recorded session without a model and report differences
  conform [file]                test whether a host keeps its promises
  clean                         remove unused artifacts, sessions, snapshots, images and programs
  doctor                        show which hosts work here, what they support, and why others do not
  kubernetes <what>             role, manifest or networks: prepare a cluster for sandboxes
  completion <shell>            print a completion script for bash, zsh or fish

toolkeep <command> --help shows the flags of a command, toolkeep --version the version.
Exit codes: 0 success, 1 failure, 2 invalid command line.

For example:
  toolkeep call shell.exec '{"command": "echo hello"}'
`)
})

it("the help of toolkeep run and toolkeep approve is as pinned", async () => {
  expect(await help("run")).toBe(`Usage: toolkeep run [task|-] [flags]

Let a model work on a task with the tools, in a recorded session.
A model is anthropic/MODEL, openai/MODEL, or URL#MODEL for a server that is compatible with OpenAI's, such as
http://127.0.0.1:11434/v1#qwen3. Ctrl-C ends the running calls; pressed again, it ends the run.
Exit codes: 0 done, 1 failure, 2 invalid command line, 3 a limit was reached, 4 a question waits for you
(toolkeep approve), 130 ended by you.

  --model MODEL        the model; default: TOOLKEEP_MODEL, or agent.model of toolkeep.yaml
  --session NAME       the session to work in; default: a new one
  --continue           continue that session, or the latest one
  --from ENTRY         first go back to this entry of the session, and to the files of that time
  --host HOST          auto (default), bubblewrap, docker, kubernetes, opensandbox, memory or local
  --network WHAT       network for commands: none, full, or domains such as example.com,example.org
  --instructions FILE  a text that the model reads before the task
  --schema FILE        a JSON Schema: print a value that satisfies it instead of a text
  --max-rounds N       end after this many requests to the model; default: 100
  --max-calls N        allow this many calls, in all or by tool, such as 100,web.search=5; default: 1000
  --max-commands N     allow this many commands until your next message; default: 200
  --max-tokens N       end after this many tokens, in requests and answers together
  --max-cost N         end at this cost, by agent.prices of toolkeep.yaml
  --max-time TIME      end after this time, such as 90s, 10m or 2h
  --yes                approve whatever the policy would ask about
  --park               do not ask here: questions wait until toolkeep approve answers them
  --config FILE        the configuration file; default: ./toolkeep.yaml if it exists
  --profile NAME       the policy profile: minimal, messaging, coding, full
  --agent NAME         the agent's name, for the policy
  --json               print each entry of the record as a line of JSON
  --help               show this help
`)
  expect(await help("approve")).toBe(`Usage: toolkeep approve [question] [flags]

Answer a question of a run and continue it; list the open questions.
Without a question it lists all that are open. With one it approves the call, or answers as the flags say.
The run then continues here, unless another process has its session open.

  --always         do not ask about this tool again in this session
  --deny REASON    refuse the call; the model reads the reason
  --edit JSON      run the call with these arguments instead
  --say TEXT       the answer to a question of the model
  --withdraw TOOL  ask about this tool again in the session that --session names
  --session NAME   for --withdraw: the session
  --no-run         only answer
  --config FILE    the configuration file; default: ./toolkeep.yaml if it exists
  --json           print the list as JSON, and the run as toolkeep run --json does
  --help           show this help
`)
})

it("the help of toolkeep call is as pinned", async () => {
  expect(await help("call")).toBe(`Usage: toolkeep call <tool> [json|-] [flags]

Call one tool and print its envelope.

  --host HOST      auto (default), bubblewrap, docker, kubernetes, opensandbox, memory or local
  --sandbox NAME   the sandbox to run in; created on first use
  --session NAME   a durable session: its sandboxes' files are stored under this name
  --cwd DIR        the base of relative paths; with --host local, the working directory
  --network WHAT   network for commands: none, full, or domains such as example.com,example.org
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

  --host HOST      auto (default), bubblewrap, docker, kubernetes, opensandbox, memory or local
  --format FORMAT  anthropic, openai, openai-responses, gemini or mcp
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

  --host HOST        auto (default), bubblewrap, docker, kubernetes, opensandbox, memory or local
  --dialect NAME     the dialect: flue, osaurus, cloudflare, openrath, flynn or a file.yaml
  --defer WHEN       list only the common tools, the rest is found by search: on, off or auto (above 40 tools)
  --sandbox NAME     sandbox for calls that do not name one; default: default
  --network WHAT     network for commands: none, full, or domains such as example.com,example.org
  --mount-roots HOW  mount the client's roots in the sandbox under /mnt: read or write
  --session NAME     a durable session: its sandboxes' files are stored under this name
  --results FORM     what a result holds: text (default), structured content for programs, or both
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

  --port PORT         the port to listen on; default: PORT, 7700, or a free one
  --listen HOST:PORT  another address to listen at; beyond this machine only tokens protect it
  --public-url URL    another address that leads here, such as a proxy's or a tunnel's
  --no-console        do not serve the console
  --opensandbox       also serve OpenSandbox's API, at /v1
  --e2b               also serve E2B's API, at /e2b
  --host HOST         auto (default), bubblewrap, docker, kubernetes, opensandbox, memory or local
  --dialect NAME      the dialect: flue, osaurus, cloudflare, openrath, flynn or a file.yaml
  --defer WHEN        list only the common tools, the rest is found by search: on, off or auto (above 40 tools)
  --sandbox NAME      sandbox for calls that do not name one; default: default
  --network WHAT      network for commands: none, full, or domains such as example.com,example.org
  --mount-roots HOW   mount the client's roots in the sandbox under /mnt: read or write
  --results FORM      what a result holds: text (default), structured content for programs, or both
  --keep              continue calls after the client disconnects, and store their answers
  --config FILE       the configuration file; default: ./toolkeep.yaml if it exists
  --profile NAME      the policy profile: minimal, messaging, coding, full
  --agent NAME        the agent's name, for the policy
  --provider NAME     the model's provider, for the policy
  --help              show this help
`)
  expect(await help("policy")).toBe(`Usage: toolkeep policy explain <tool> [json] [flags]

Explain which rule decides on a tool.

  --session NAME   also show what --always has granted in this session
  --host HOST      auto (default), bubblewrap, docker, kubernetes, opensandbox, memory or local
  --config FILE    the configuration file; default: ./toolkeep.yaml if it exists
  --profile NAME   the policy profile: minimal, messaging, coding, full
  --agent NAME     the agent's name, for the policy
  --provider NAME  the model's provider, for the policy
  --json           print JSON, as when piped
  --help           show this help
`)
  expect(await help("sessions")).toBe(`Usage: toolkeep sessions list | show ... [flags]

List, show, delete, export and import recorded sessions.
sessions list shows them, the latest first; sessions show <name> prints what happened in one of them;
sessions delete <name> deletes it with its sandboxes' files and artifacts;
sessions export <name> writes it as JSON lines, sessions import <file> reads such a file;
sessions release <name> frees a session of a process on another machine that has ended.

  --follow       for show: keep printing new entries, until Ctrl-C
  --out FILE     for export: a new file to write; default: standard output
  --name NAME    for import: another name for the session
  --config FILE  the configuration file; default: ./toolkeep.yaml if it exists
  --json         print JSON, as when piped
  --help         show this help
`)
  expect(await help("conform")).toBe(`Usage: toolkeep conform [file] [flags]

Test whether a host keeps its promises.

  --host HOST  auto (default), bubblewrap, docker, kubernetes, opensandbox, memory or local
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
  expect(await help("dev")).toBe(`Usage: toolkeep dev <pattern.tsx> [flags]

Run a reactive pattern, show it as a live page, and reload it when its file changes.

  --input NAME=VALUE  an input of the pattern, as JSON or as text; may be given several times
  --store FILE        a file that keeps inputs, writables and results for the next start
  --image NAME        the image of steps that name none; default: node:22
  --model MODEL       the model of generateText; default: as toolkeep run finds it
  --port PORT         the port to listen on; default: PORT, 7700, or a free one
  --host HOST         auto (default), bubblewrap, docker, kubernetes, opensandbox, memory or local
  --network WHAT      network for commands: none, full, or domains such as example.com,example.org
  --config FILE       the configuration file; default: ./toolkeep.yaml if it exists
  --profile NAME      the policy profile: minimal, messaging, coding, full
  --agent NAME        the agent's name, for the policy
  --help              show this help
`)
  expect(await help("doctor")).toBe(`Usage: toolkeep doctor [flags]

Show which hosts work here, what they support, and why others do not.

  --json  print JSON, as when piped
  --help  show this help
`)
  expect(await help("kubernetes")).toBe(`Usage: toolkeep kubernetes <what> [flags]

Role, manifest or networks: prepare a cluster for sandboxes.
  role      print the Role with the rights that the kubernetes host needs
  manifest  print all that runs Toolkeep in a cluster
  networks  try with two pods whether the cluster can close a sandbox's network
For one namespace: toolkeep kubernetes role | kubectl apply --namespace NAME --filename -

  --help  show this help
`)
  expect(await help("init")).toBe(`Usage: toolkeep init [flags]

Write a commented toolkeep.yaml to this directory.

  --help  show this help
`)
  expect(await help("completion")).toBe(`Usage: toolkeep completion <shell> [flags]

Print a completion script for bash, zsh or fish.
For bash, in ~/.bashrc:   eval "$(toolkeep completion bash)"
For zsh, in ~/.zshrc:     eval "$(toolkeep completion zsh)"
For fish:                 toolkeep completion fish > ~/.config/fish/completions/toolkeep.fish

  --help  show this help
`)
})
