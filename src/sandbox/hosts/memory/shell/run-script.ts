import {
  Bash,
  type CommandName,
  type ExecOptions,
  type ExecResult,
  getCommandNames,
} from "just-bash"
import type { OutputChunk } from "../../../../contract/index.ts"
import { quoteArguments } from "../../../../kit/index.ts"
import type { Script } from "../threads/thread-messages.ts"
import type { Stopper } from "./create-stopper.ts"
import { extraCommands } from "./extra-commands.ts"
import type { LimitErrors, Printed } from "./limit-errors.ts"
import { type CallDisk, latin1Of } from "./remote-file-system.ts"
import { ShellFileSystem } from "./shell-file-system.ts"
import { shellLimits } from "./shell-limits.ts"
import { decodeInput } from "./syntax/decode-input.ts"
import { keepText, markText } from "./syntax/mark-text.ts"
import { openFirst } from "./syntax/open-first.ts"
import { splitNames } from "./syntax/split-names.ts"
import { splitRanges } from "./syntax/split-ranges.ts"

const environment = {
  HOME: "/home/user",
  USER: "user",
  LOGNAME: "user",
  SHELL: "/bin/bash",
  PATH: "/usr/bin:/bin",
  LANG: "C.UTF-8",
  HOSTNAME: "toolkeep",
}

/** SQLite's memory lies outside of what a thread's limit covers; the others have replacements. */
const leftOut: readonly string[] = ["sqlite3", "echo", "env", "hostname", "timeout"]

/** What the shell says of programs that it could have had. */
const misleading =
  /command not available in browser environments\. Exclude '[^']*' from your commands or use the Node\.js bundle\./g

export interface ShellDeps {
  readonly callDisk: CallDisk
  readonly stopper: Stopper
  readonly errors: LimitErrors
  readonly memoryBytes: number
}

export interface ScriptResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** What commands wrote to /dev/stdout and /dev/stderr by name. */
  readonly written: readonly OutputChunk[]
}

/** Runs one script in its own shell: only files are left for the next one. */
export async function runScript(script: Script, deps: ShellDeps): Promise<ScriptResult> {
  const { bash, fs } = createShell(script, deps)
  const { command } = script
  const [source, parameters] =
    typeof command === "string"
      ? [command, {}]
      : [quoteArguments([command[0]]), { args: command.slice(1) }]
  const options: ExecOptions = {
    rawScript: true,
    stdin: latin1Of(script.stdin),
    stdinKind: "bytes",
    signal: deps.stopper.signal,
    ...parameters,
  }
  const { stdout, stderr, exitCode } = await bash
    .exec(source, options)
    .catch((error: unknown) => lastWords(error, deps.errors))
  const told = stderr.replace(misleading, "command not found")
  return { exitCode, stdout, stderr: told, written: fs.written }
}

/** What is left of a script that the shell gave up. */
function lastWords(error: unknown, errors: LimitErrors): Printed & { exitCode: number } {
  if (errors.is(error)) return { stdout: error.stdout, stderr: error.stderr, exitCode: 126 }
  const message = error instanceof Error ? error.message : String(error)
  return { stdout: "", stderr: `bash: ${message}\n`, exitCode: 1 }
}

function createShell(script: Script, deps: ShellDeps) {
  const { callDisk, stopper, errors, memoryBytes } = deps
  const own = getCommandNames().filter((name) => !leftOut.includes(name))
  const extra = extraCommands(stopper)
  const names = [...own, ...extra.map((command) => command.name)]
  const fs = new ShellFileSystem(callDisk, new Set(names), errors)
  const bash = new Bash({
    fs,
    commands: own as CommandName[],
    customCommands: extra,
    cwd: script.cwd,
    env: { ...environment, ...script.env },
    executionLimits: shellLimits(memoryBytes),
    sleep: stopper.sleep,
  })
  // Repairs of just-bash 3.4.2, each until its tests pass without it: "long ranges", "words that come from
  // variables" and "text that is not ASCII" (run-script.test.ts), "printed by a command" (memory-host.test.ts)
  // and "redirections" (vercel-labs/just-bash#349 mends a part). Marked before more redirections are added.
  for (const plugin of [splitRanges, splitNames, markText, openFirst, decodeInput]) {
    bash.registerTransformPlugin(plugin)
  }
  keepText(bash)
  // Sees the result of every shell in the shell. The original would guess whether text is really
  // bytes and decode it once more, which here it never is.
  Object.assign(bash, { logResult: (result: ExecResult) => stopper.unlessStopped(result) })
  return { bash, fs }
}
