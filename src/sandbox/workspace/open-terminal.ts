import {
  type Capabilities,
  type Terminal,
  type TerminalEnding,
  type TerminalOptions,
  ToolFailure,
} from "../../contract/index.ts"
import { errorText, quoteArguments } from "../../kit/index.ts"
import { scriptArguments } from "../commands/script-arguments.ts"
import type { Sandbox } from "../host/host.ts"
import type { CommandOutcome, CommandRun } from "../host/operation.ts"
import { sandboxLimits, terminalLimits } from "../limits.ts"
import { openInput } from "./live-input.ts"
import { requireTerminal } from "./requests.ts"
import { openOutput } from "./terminal-output.ts"

export interface TerminalDeps {
  readonly can: Capabilities
  readonly perform: Sandbox["perform"]
}

type TerminalStart = TerminalOptions & { readonly cwd: string }

/**
 * A terminal inside the sandbox: `script` or python3 holds its other end, as a command whose standard streams are
 * what is typed and drawn. Its error stream carries the terminal's name, with which other commands resize it.
 */
export async function openTerminal(start: TerminalStart, deps: TerminalDeps): Promise<Terminal> {
  const { columns, rows, signal } = start
  requireTerminal(deps.can)
  requireSize(columns, rows)
  signal?.throwIfAborted()
  const closing = new AbortController()
  const close = () => {
    output.end()
    closing.abort()
  }
  const output = openOutput(close)
  const input = openInput()
  const said = Promise.withResolvers<string>()
  let errors = ""
  const command = deps.perform<"command.run">(terminalCommand(start), {
    signal: closing.signal,
    input: input.readable,
    // An interactive shell does not end when it is asked to.
    graceMs: () => terminalLimits.graceMs,
    onOutput({ stream, bytes }) {
      if (stream === "stdout") return output.push(bytes)
      if (errors.includes("\n")) return
      errors += new TextDecoder().decode(bytes)
      const name = terminalName.exec(errors)?.[1]
      if (name !== undefined) said.resolve(name)
    },
  })
  const ended = command
    .then(endingOf, (error): TerminalEnding => ({ kind: "gone", why: errorText(error) }))
    .finally(() => {
      signal?.removeEventListener("abort", close)
      void input.end()
      output.end()
    })
  signal?.addEventListener("abort", close)
  const failed = command.then((outcome) => {
    signal?.throwIfAborted()
    throw notOpened(outcome)
  })
  failed.catch(() => {})
  const name = await Promise.race([said.promise, failed]).catch((error) => {
    close()
    throw error
  })
  return {
    output: output.readable,
    write: input.write,
    async resize(toColumns, toRows) {
      requireSize(toColumns, toRows)
      if (closing.signal.aborted) return
      const resized = deps.perform<"command.run">(resizeCommand(name, toColumns, toRows), {
        signal: closing.signal,
        onOutput: () => {},
      })
      // One that has just ended has no size.
      await Promise.race([resized, ended])
    },
    ended,
    async close() {
      close()
      await ended
    },
  }
}

function endingOf({ ending, exitCode }: CommandOutcome): TerminalEnding {
  return ending.kind === "aborted" ? { kind: "closed" } : { kind: "exited", exitCode }
}

/** Every command inside can write there, so it is taken only as what it has to be. */
const terminalName = /^(\/dev\/(?:pts\/\d{1,6}|tty\w{1,8}))\n/

const neither =
  "The sandbox has neither script (of util-linux) nor python3, and a terminal needs one of them."

function notOpened({ stderr }: CommandOutcome): ToolFailure {
  const reason = new TextDecoder().decode(stderr.head).trim().slice(0, 300)
  const message = reason === "" ? "it ended at once." : reason
  if (reason.includes(neither)) {
    return new ToolFailure({ kind: "unavailable", message: neither, retryable: false })
  }
  return new ToolFailure({
    kind: "execution_error",
    message: `The terminal could not be opened: ${message}`,
  })
}

function requireSize(columns: number, rows: number): void {
  const fits = (size: number) => Number.isInteger(size) && size >= 1 && size <= terminalLimits.cells
  if (fits(columns) && fits(rows)) return
  throw new ToolFailure({
    kind: "invalid_args",
    message: `A terminal can't have ${columns} columns and ${rows} rows.`,
    expected: `whole numbers from 1 to ${terminalLimits.cells}`,
  })
}

const base = {
  kind: "command.run",
  stdin: new Uint8Array(),
  timeoutMs: null,
  idleTimeoutMs: null,
  maxOutputBytes: 4096,
} as const

function terminalCommand({ command, cwd, env, columns, rows }: TerminalStart): CommandRun {
  const program = command === undefined ? "bash -i" : programOf(command)
  // Read by a shell in the terminal. Its name is said where the program can't write any more, and only when it has its
  // size: who knows the name may give it another one.
  const inside = [
    "stty sane iutf8 2>/dev/null || stty sane",
    `stty ${sizeWords(columns, rows)}`,
    "tty >&4 || exit 1",
    "exec 4>&-",
    `exec ${program}`,
  ].join("\n")
  const words = quoteArguments([inside])
  return {
    ...base,
    command: [
      "exec 4>&2",
      `if [[ $(script --version 2>/dev/null) == *util-linux* ]]`,
      // It gives its command to this shell.
      `then SHELL=$BASH exec script -qfec ${words} /dev/null; fi`,
      `if type -P python3 >/dev/null`,
      `then exec python3 -c ${quoteArguments([pythonTerminal])} "$BASH" ${words}; fi`,
      `echo ${quoteArguments([neither])} >&2`,
      "exit 1",
    ].join("\n"),
    cwd,
    env: { TERM: "xterm-256color", ...env },
  }
}

/** The same as `script -qfec`. */
const pythonTerminal = [
  "import os, pty, sys",
  "status = pty.spawn([sys.argv[1], '-c', sys.argv[2]])",
  "killed = os.WIFSIGNALED(status)",
  "sys.exit(128 + os.WTERMSIG(status) if killed else os.WEXITSTATUS(status))",
].join("\n")

function programOf(command: string | readonly string[]): string {
  if (typeof command !== "string") return quoteArguments(command)
  return `bash --noprofile --norc -c -- ${quoteArguments(scriptArguments(command))}`
}

function resizeCommand(name: string, columns: number, rows: number): CommandRun {
  return {
    ...base,
    // stty sets rows and columns one after the other, and a program redraws for each; Linux's ioctl sets both. It may
    // write to what it is given, so that is a variable: perl refuses it a constant.
    command: `perl -e '$size = pack("S4", ${rows}, ${columns}); ioctl(STDIN, 0x5414, $size) or exit 1' <${name} 2>/dev/null || stty ${sizeWords(columns, rows)} <${name}`,
    cwd: "/",
    env: {},
    timeoutMs: sandboxLimits.readyMs,
  }
}

function sizeWords(columns: number, rows: number): string {
  return `rows ${rows} cols ${columns}`
}
