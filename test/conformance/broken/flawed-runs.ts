import { dirname } from "node:path"
import { alterRuns, asBytes, asText } from "./alter-commands.ts"
import { alterSandboxes, type BrokenHost } from "./broken-host.ts"

/** Hosts that run another command than they were asked to. */
export const flawedRuns: readonly BrokenHost[] = [
  {
    flaw: "ignores cwd",
    caughtBy: ["working-directory.option", "working-directory.pwd", "working-directory.child"],
    breakHost: (good) =>
      alterSandboxes(good, ({ home }) => ({
        "command.run": (run, control, sandbox) =>
          sandbox.perform<"command.run">({ ...run, cwd: home }, control),
      })),
  },
  {
    flaw: "starts commands above the home",
    caughtBy: ["working-directory.default"],
    breakHost: (good) => alterRuns(good, ({ cwd }) => ({ cwd: dirname(cwd) })),
  },
  {
    flaw: "has one error for every wrong cwd",
    caughtBy: ["working-directory.missing", "working-directory.file"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        "command.run": (run, control, sandbox) =>
          sandbox.perform<"command.run">(run, control).catch(() => {
            throw new Error(`spawn ENOENT ${run.cwd}`)
          }),
      })),
  },
  {
    flaw: "makes a missing cwd",
    caughtBy: ["working-directory.missing"],
    breakHost: (good) =>
      alterSandboxes(good, ({ home }) => ({
        "command.run": (run, control, sandbox) =>
          sandbox.perform<"command.run">(
            {
              ...run,
              cwd: home,
              command: `mkdir -p "${run.cwd}"; cd "${run.cwd}"; ${run.command}`,
            },
            control,
          ),
      })),
  },
  {
    flaw: "puts cwd into the command without quotes",
    caughtBy: ["working-directory.names"],
    breakHost: (good) =>
      alterSandboxes(good, ({ home }) => ({
        "command.run": (run, control, sandbox) =>
          sandbox.perform<"command.run">(
            { ...run, cwd: home, command: `cd ${run.cwd} && ${run.command}` },
            control,
          ),
      })),
  },
  {
    flaw: "leaks variables from one command to the next",
    caughtBy: ["environment.only-that-command"],
    breakHost: (good) =>
      alterSandboxes(good, () => {
        let known = {}
        return {
          "command.run": (run, control, sandbox) => {
            known = { ...known, ...run.env }
            return sandbox.perform<"command.run">({ ...run, env: known }, control)
          },
        }
      }),
  },
  {
    flaw: "ignores env",
    caughtBy: ["environment.given", "environment.exported"],
    breakHost: (good) => alterRuns(good, () => ({ env: {} })),
  },
  {
    flaw: "sets variables without exporting them",
    caughtBy: ["environment.exported"],
    breakHost: (good) =>
      alterRuns(good, ({ env, command }) => ({
        env: {},
        command: `${Object.entries(env).map(([name, value]) => `${name}='${value}'; `)}${command}`,
      })),
  },
  {
    flaw: "replaces the usual variables by those given",
    caughtBy: ["environment.added"],
    breakHost: (good) =>
      alterRuns(good, ({ env }) => ({ env: { PATH: "", HOME: "/root", ...env } })),
  },
  {
    flaw: "passes its own environment on",
    caughtBy: ["environment.host-hidden"],
    breakHost: (good) =>
      alterRuns(good, ({ env }) => {
        const own = Object.entries(process.env).map(([name, value]) => [name, value ?? ""])
        return { env: { ...Object.fromEntries(own), ...env } }
      }),
  },
  {
    flaw: "runs all commands in one shell",
    caughtBy: [
      "variables",
      "path",
      "directory",
      "functions",
      "options",
      "streams",
      "exit",
      "umask",
    ].map((name) => `fresh-commands.${name}`),
    breakHost: (good) =>
      alterSandboxes(good, () => {
        const before: string[] = []
        return {
          "command.run": (run, control, sandbox) => {
            const command = [...before, run.command].join("\n")
            before.push(String(run.command))
            return sandbox.perform<"command.run">({ ...run, command }, control)
          },
        }
      }),
  },
  {
    flaw: "keeps the traps of the command before",
    caughtBy: ["fresh-commands.traps"],
    breakHost: (good) =>
      alterRuns(good, ({ command }) => ({ command: `trap 'echo poisoned' EXIT\n${command}` })),
  },
  {
    flaw: "joins an argument list with spaces for a shell",
    caughtBy: ["commands.list-unread", "commands.list-long", "commands.list-options"],
    breakHost: (good) =>
      alterRuns(good, ({ command }) => ({
        command: typeof command === "string" ? command : command.join(" "),
      })),
  },
  {
    flaw: "runs commands with sh",
    caughtBy: ["commands.bash"],
    breakHost: (good) =>
      alterRuns(good, ({ command }) => ({ command: ["sh", "-c", String(command)] })),
  },
  {
    flaw: "reads only the first line of a command",
    caughtBy: ["commands.lines", "commands.long"],
    breakHost: (good) =>
      alterRuns(good, ({ command }) => ({ command: String(command).split("\n")[0] ?? "" })),
  },
  {
    flaw: "gives the command to bash as its first argument",
    caughtBy: ["commands.leading-dash"],
    breakHost: (good) =>
      alterRuns(good, ({ command }) => ({
        command: String(command).startsWith("-c") ? "echo an option" : command,
      })),
  },
  {
    flaw: "cuts a command at a NUL",
    caughtBy: ["commands.nul"],
    breakHost: (good) =>
      alterRuns(good, ({ command }) => ({ command: String(command).split("\0")[0] ?? "" })),
  },
  {
    flaw: "says nothing about a program that is missing",
    caughtBy: ["commands.list-missing"],
    breakHost: (good) =>
      alterRuns(good, ({ command }) => ({
        command: typeof command === "string" ? command : ["bash", "-c", "exit 127"],
      })),
  },
  {
    flaw: "takes input for text",
    caughtBy: ["stdin.exact", "stdin.large"],
    breakHost: (good) => alterRuns(good, ({ stdin }) => ({ stdin: asBytes(asText(stdin)) })),
  },
  {
    flaw: "passes only 64 KiB of input on",
    caughtBy: ["stdin.exact", "stdin.large"],
    breakHost: (good) => alterRuns(good, ({ stdin }) => ({ stdin: stdin.subarray(0, 65_536) })),
  },
  {
    flaw: "sends input as Latin-1",
    caughtBy: ["stdin.text"],
    breakHost: (good) =>
      alterRuns(good, ({ stdin }) => ({ stdin: Buffer.from(asText(stdin), "latin1") })),
  },
  {
    flaw: "leaves the input open",
    caughtBy: ["stdin.closed"],
    breakHost: (good) =>
      alterRuns(good, ({ stdin, command }) => ({
        command: stdin.length === 0 ? `exec < <(sleep 20)\n${command}` : command,
      })),
  },
  {
    flaw: "waits until all input has been read",
    caughtBy: ["stdin.unread"],
    breakHost: (good) =>
      alterRuns(good, ({ stdin, command }) => ({
        command: stdin.length > 100_000 ? `mkfifo wait; cat > wait; ${command}` : command,
      })),
  },
  {
    flaw: "gives every command the input of the last one",
    caughtBy: ["stdin.own"],
    breakHost: (good) =>
      alterSandboxes(good, () => {
        let last = new Uint8Array() as Uint8Array
        return {
          "command.run": async (run, control, sandbox) => {
            last = run.stdin
            await Promise.resolve()
            return sandbox.perform<"command.run">({ ...run, stdin: last }, control)
          },
        }
      }),
  },
]
