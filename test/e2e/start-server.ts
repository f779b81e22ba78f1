import { spawn } from "node:child_process"
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"

export interface StartedServer {
  readonly home: string
  readonly output: () => string
  /** Its exit code. */
  readonly ended: Promise<number | null>
  readonly signal: (name: NodeJS.Signals) => void
  /** Where it listens, and the token of who may connect. */
  readonly ready: () => Promise<{ readonly url: string; readonly token: string }>
}

/** Starts a server as a person would, with a home of its own, until the end of the test. */
export async function startServer(
  command: string,
  args: readonly string[],
): Promise<StartedServer> {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-up-"))
  // The sandbox's user walks through it.
  await chmod(home, 0o755)
  const child = spawn(command, args, {
    cwd: repositoryRoot,
    env: { ...process.env, TOOLKEEP_HOME: home },
    detached: true,
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
  }
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  const signal = (name: NodeJS.Signals) => {
    if (child.pid) process.kill(-child.pid, name)
  }
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) signal("SIGKILL")
    await ended
    await rm(home, { recursive: true, force: true })
  })
  const ready = async () => {
    await expect.poll(() => output).toContain("Calls are shown here")
    const url = /is up at (http:\/\/127\.0\.0\.1:\d+\/mcp)/.exec(output)?.[1] ?? ""
    const token = (await readFile(join(home, "token"), "utf8")).trim()
    return { url, token }
  }
  return { home, output: () => output, ended, signal, ready }
}
