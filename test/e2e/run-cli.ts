import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import type { Envelope } from "../../src/contract/index.ts"
import { commandLine } from "../support/built-package.ts"

export interface CliResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CliOptions {
  readonly stdin?: string
  /** More could come. */
  readonly stdinStaysOpen?: boolean
  readonly cwd?: string
  readonly home?: string
  /** More of it. */
  readonly environment?: NodeJS.ProcessEnv
  /** Another installation's command line. */
  readonly main?: string
}

/** Where Toolkeep keeps its things in these tests; sandboxes run as other users and walk through it. */
const scratch = mkdtempSync(join(tmpdir(), "toolkeep-e2e-"))
chmodSync(scratch, 0o755)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Starts the command line as a person would, with both streams on pipes. */
export function startCli(
  args: readonly string[],
  options: CliOptions = {},
): { readonly child: ChildProcess; readonly done: Promise<CliResult> } {
  const child = spawn(process.execPath, [options.main ?? commandLine, ...args], {
    cwd: options.cwd ?? repositoryRoot,
    env: { ...process.env, TOOLKEEP_HOME: options.home ?? scratch, ...options.environment },
  })
  child.stdin.on("error", () => {})
  if (options.stdinStaysOpen) child.stdin.write(options.stdin ?? "")
  else child.stdin.end(options.stdin ?? "")
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const done = new Promise<CliResult>((resolve) => {
    child.on("close", (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
  return { child, done }
}

export function runCli(args: readonly string[], options?: CliOptions): Promise<CliResult> {
  return startCli(args, options).done
}

/** One `toolkeep call`, with its envelope read back. */
export async function callCli(
  args: readonly string[],
  options?: CliOptions,
): Promise<{ readonly exitCode: number | null; readonly envelope: Envelope }> {
  const { exitCode, stdout, stderr } = await runCli(["call", ...args], options)
  if (stdout === "") throw new Error(`no envelope; standard error says: ${stderr}`)
  return { exitCode, envelope: JSON.parse(stdout) }
}
