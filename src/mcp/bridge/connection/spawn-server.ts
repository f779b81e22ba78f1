import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as wait } from "node:timers/promises"
import type { StdioServer } from "../../../config/index.ts"
import { limits, ToolFailure } from "../../../contract/index.ts"
import { BoundedBytes, type Secrets } from "../../../kit/index.ts"
import { bridgeLimits } from "../../limits.ts"
import { cleanSentence } from "./clean-text.ts"
import { fillInTexts, serverSecrets } from "./fill-in-variables.ts"
import type { OpenPipe } from "./pipe-transport.ts"

/** What a program needs to run at all; nothing else of this process's environment is passed on. */
const inherited = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"]

/** How much of its error output a message quotes. */
const quotedCharacters = 300

/** Starts a server as a process of this machine, whose process group ends with it. */
export function spawnServer(server: StdioServer, environment: NodeJS.ProcessEnv): OpenPipe {
  return async ({ onOutput, onEnd }) => {
    const own = fillInTexts(server.env, { what: "environment's", environment })
    const passedOn = inherited.map((name) => [name, environment[name]])
    requireNoNul(server, own)
    const child = spawn(server.command, [...server.args], {
      cwd: server.cwd,
      env: { ...Object.fromEntries(passedOn), ...own },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    })
    // Before its pipes are used: without a free file descriptor it has none.
    if (child.pid === undefined) throw notStarted(server, (await once(child, "error"))[0])
    endWithThisProcess(child)
    const errors = new BoundedBytes(bridgeLimits.complaintBytes)
    child.stderr.on("data", (bytes) => errors.push(bytes))
    child.stdout.on("data", onOutput)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {})
    const ended = new Promise<void>((resolve) => {
      child.once("exit", (code, signal) => {
        // Its children hold the pipes open, and nothing reads from them any more.
        killGroup(child, "SIGKILL")
        const how =
          signal === null ? `It ended with exit code ${code}` : `It was ended by ${signal}`
        const said = { how, head: errors.head(), tail: errors.tail(), omitted: errors.omitted }
        onEnd(describeEnd(said, serverSecrets(server, environment)))
        resolve()
      })
    })
    return {
      write: (text) => written(child, text),
      close: () => endGroup(child, ended),
    }
  }
}

/** Node would quote the whole value, which may be a secret. */
export function requireNoNul(
  { command, args, cwd = "" }: Omit<StdioServer, "kind">,
  env: Readonly<Record<string, string>>,
): void {
  if (![command, cwd, ...args, ...Object.entries(env).flat()].join("").includes("\0")) return
  const message = "Its command, an argument or its environment holds a NUL character."
  throw new ToolFailure({ kind: "unavailable", message, retryable: false })
}

function notStarted({ command, cwd }: StdioServer, cause: Error): ToolFailure {
  const code = "code" in cause ? String(cause.code) : cause.message
  const where = cwd === undefined ? "" : ` in ${JSON.stringify(cwd)}`
  const why = code === "ENOENT" ? "there is no such program or directory" : code
  const message = `${JSON.stringify(command)}${where} could not be started: ${why}.`
  return new ToolFailure({ kind: "unavailable", message, retryable: false }, { cause })
}

/** Waits while the server does not read, and no longer than it lives. */
function written({ stdin }: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (!stdin || stdin.destroyed || stdin.write(text)) return resolve()
    stdin.once("drain", resolve).once("close", resolve)
  })
}

async function endGroup(child: ChildProcess, ended: Promise<void>): Promise<void> {
  const isOver = async (milliseconds: number) =>
    Promise.race([ended.then(() => true), wait(milliseconds, false, { ref: false })])
  child.stdin?.end()
  if (await isOver(bridgeLimits.endMs)) return
  killGroup(child, "SIGTERM")
  if (await isOver(limits.terminateGraceMs)) return
  killGroup(child, "SIGKILL")
  await isOver(limits.killWaitMs)
}

const running = new Set<ChildProcess>()

/** However this process exits, also during a start or at a second signal. */
function endWithThisProcess(child: ChildProcess): void {
  if (running.size === 0) process.on("exit", killRunning)
  running.add(child)
  child.once("exit", () => {
    running.delete(child)
    if (running.size === 0) process.off("exit", killRunning)
  })
}

function killRunning(): void {
  for (const child of running) killGroup(child, "SIGKILL")
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended.
  }
}

interface ServerEnd {
  readonly how: string
  /** The begin and the end of its error output, and the number of bytes between them. */
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly omitted: number
}

/** How a server ended, with the last error that it printed, without secrets. */
export function describeEnd({ how, head, tail, omitted }: ServerEnd, secrets: Secrets): string {
  const [first, last] = [head, tail].map((bytes) => Buffer.from(bytes).toString("utf8"))
  // A line that is not whole may hold a part of a secret.
  const whole = [first?.replace(/[^\n]*$/, ""), last?.replace(/^[^\n]*/, "")]
  const said = secrets.hide((omitted > 0 ? whole : [first, last]).join(""))
  const lines = said.trim().split("\n")
  const chosen = lines.findLast((line) => /\berror\b/i.test(line)) ?? lines.at(-1) ?? ""
  const sentence = cleanSentence(chosen, quotedCharacters)
  return sentence === "" ? `${how}.` : `${how}: ${sentence}`
}
