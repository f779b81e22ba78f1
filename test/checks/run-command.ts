import { spawn } from "node:child_process"
import { delimiter, join } from "node:path"
import { repositoryRoot } from "../../scripts/repository.ts"

export interface CommandResult {
  readonly exitCode: number | null
  /** What it printed on both streams, in the order in which it came. */
  readonly output: string
}

export interface CommandOptions {
  readonly cwd: string
  readonly environment?: NodeJS.ProcessEnv
  readonly timeoutMs?: number
}

/** Commands find this repository's Node before the machine's own. */
const ownPath = [join(repositoryRoot, "node_modules", ".bin"), process.env.PATH].join(delimiter)

/** Runs one shell command to its end. One that is not done in time is ended and has no exit code. */
export function runCommand(command: string, options: CommandOptions): Promise<CommandResult> {
  const child = spawn("sh", ["-c", `exec 2>&1\n${command}`], {
    cwd: options.cwd,
    env: options.environment ?? { ...process.env, PATH: ownPath },
    stdio: ["ignore", "pipe", "ignore"],
    // In a group of its own, so that what the command started ends with it.
    detached: true,
  })
  const end = () => {
    // Not waiting for the pipe: something that left the group may still hold it.
    child.stdout.destroy()
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
  }
  const timer = setTimeout(end, options.timeoutMs ?? 300_000)
  let output = ""
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text
  })
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (exitCode) => {
      clearTimeout(timer)
      resolve({ exitCode, output })
    })
  })
}
