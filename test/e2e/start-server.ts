import { spawn } from "node:child_process"
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"

export interface StartedServer {
  readonly pid: number
  readonly home: string
  readonly output: () => string
  /** Its exit code. */
  readonly ended: Promise<number | null>
  readonly signal: (name: NodeJS.Signals) => void
  /** Where it listens, and the token of who may connect. */
  readonly ready: () => Promise<{ readonly url: string; readonly token: string }>
}

export interface ServerOptions {
  /** Who may connect; one that it makes itself when there are none. */
  readonly tokens?: readonly string[]
  /** Another user, who must be able to read this repository. */
  readonly user?: number | undefined
  readonly cwd?: string
  /** More of it. */
  readonly environment?: NodeJS.ProcessEnv
}

/** Starts a server as a person would, with a home of its own, until the end of the test. */
export async function startServer(
  command: string,
  args: readonly string[],
  { tokens = [], user, cwd = repositoryRoot, environment = {} }: ServerOptions = {},
): Promise<StartedServer> {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-up-"))
  // The sandbox's user walks through it.
  await chmod(home, 0o755)
  if (tokens.length > 0) await writeFile(join(home, "token"), tokens.join("\n"))
  if (user !== undefined) {
    for (const path of [home, ...(tokens.length > 0 ? [join(home, "token")] : [])]) {
      await chown(path, user, user)
    }
  }
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, TOOLKEEP_HOME: home, ...environment },
    detached: true,
    ...(user === undefined ? {} : { uid: user, gid: user }),
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
    const [token = ""] = (await readFile(join(home, "token"), "utf8")).split("\n")
    return { url, token }
  }
  return { pid: child.pid ?? 0, home, output: () => output, ended, signal, ready }
}
