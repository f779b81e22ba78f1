import {
  Bash,
  type Command,
  type CommandName,
  type ExecOptions,
  type ExecResult,
  getCommandNames,
} from "just-bash"
import type { OutputChunk } from "../../../../contract/index.ts"
import { errorText, quoteArguments } from "../../../../kit/index.ts"
import type { Script } from "../threads/thread-messages.ts"
import { textOfBytes } from "./byte-text.ts"
import { mktemp, realpath } from "./commands/path-commands.ts"
import { createTimeout, env, rg, xargs } from "./commands/running-commands.ts"
import { hostname, id, nproc, uname } from "./commands/system-commands.ts"
import { echo, printf } from "./commands/text-commands.ts"
import type { Stopper } from "./create-stopper.ts"
import type { LimitErrors, Printed } from "./limit-errors.ts"
import type { RemoteDisk } from "./remote-disk.ts"
import { shellDisk } from "./shell-disk.ts"
import { latin1Of, ShellFileSystem } from "./shell-file-system.ts"
import { shellLimits } from "./shell-limits.ts"
import { decodeInputCommand } from "./syntax/decode-input.ts"
import { repairSyntax } from "./syntax/repair-syntax.ts"

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
  readonly disk: RemoteDisk
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
  const { bash, written } = createShell(script, deps)
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
  return { exitCode, stdout, stderr: told, written }
}

/** What is left of a script that the shell gave up. */
function lastWords(error: unknown, errors: LimitErrors): Printed & { exitCode: number } {
  if (errors.is(error)) return { stdout: error.stdout, stderr: error.stderr, exitCode: 126 }
  return { stdout: "", stderr: `bash: ${errorText(error)}\n`, exitCode: 1 }
}

function createShell(script: Script, deps: ShellDeps) {
  const { stopper, errors, memoryBytes } = deps
  const own = getCommandNames().filter((name) => !leftOut.includes(name))
  const extra = extraCommands(stopper)
  const names = new Set([...own, ...extra.map((command) => command.name)])
  const { disk, written } = shellDisk(deps.disk, [...names])
  const bash = new Bash({
    fs: new ShellFileSystem(disk, errors),
    commands: own as CommandName[],
    customCommands: extra,
    cwd: script.cwd,
    env: { ...environment, ...script.env },
    executionLimits: shellLimits(memoryBytes),
    sleep: stopper.sleep,
  })
  bash.registerTransformPlugin(repairSyntax)
  answerWithText(bash)
  // Sees the result of every shell in the shell. The original would guess whether text is really
  // bytes and decode it again, which here it never is.
  Object.assign(bash, { logResult: (result: ExecResult) => stopper.unlessStopped(result) })
  return { bash, written }
}

/**
 * Commands that just-bash 3.4.2 lacks (the first six), or has with a flaw that a comment there names. Each can
 * go once run-script.test.ts and memory-host.test.ts pass without it.
 */
function extraCommands(stopper: Stopper): Command[] {
  const missing = [hostname, id, mktemp, nproc, realpath, uname]
  return [...missing, decodeInputCommand, echo, env, printf, rg, createTimeout(stopper), xargs]
}

/** Commands may answer with bytes, and the shell forgets that it was bytes when it redirects them. */
function answerWithText(bash: Bash): void {
  const { commands } = bash as unknown as { readonly commands: ReadonlyMap<string, Command> }
  for (const command of commands.values()) {
    const { execute } = command
    command.execute = async (parameters, context) => asText(await execute(parameters, context))
  }
}

function asText(result: ExecResult): ExecResult {
  const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary"
  if (!isBytes) return result
  const { stdoutEncoding: _stdoutEncoding, ...rest } = result
  return { ...rest, stdout: textOfBytes(Buffer.from(result.stdout, "latin1")), stdoutKind: "text" }
}
