import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as wait } from "node:timers/promises"
import type { StdioServer } from "../../../config/index.ts"
import { limits, ToolFailure } from "../../../contract/index.ts"
import { BoundedBytes, type Secrets } from "../../../kit/index.ts"
import { cleanText } from "../config/clean-text.ts"
import { fillInVariables } from "../config/fill-in-variables.ts"
import { serverSecrets } from "../config/server-secrets.ts"
import type { OpenPipe } from "./server-pipe.ts"

/** What a program needs to run at all; whatever else is in this process's environment stays here. */
const inherited = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"]

/** Of its last words, in a sentence. */
const complaintCharacters = 300

/** Starts a server as a process of this machine, with a group of its own that ends with it. */
export function spawnServer(server: StdioServer, environment: NodeJS.ProcessEnv): OpenPipe {
  return async ({ onOutput, onEnd }) => {
    const own = fillInVariables(server.env, { what: "environment's", environment })
    const usual = inherited.flatMap((name) => {
      const value = environment[name]
      return value === undefined ? [] : [[name, value] as const]
    })
    requireNoNul(server, own)
    const child = spawn(server.command, [...server.args], {
      cwd: server.cwd,
      env: { ...Object.fromEntries(usual), ...own },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    })
    // Before its pipes are used: without a free file descriptor it has none.
    if (child.pid === undefined) throw notStarted(server, (await once(child, "error"))[0])
    endWithThisProcess(child)
    const complaints = new BoundedBytes(limits.bridge.complaintBytes)
    child.stderr.on("data", (bytes) => complaints.push(bytes))
    child.stdout.on("data", onOutput)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {})
    const ended = new Promise<void>((resolve) => {
      child.once("exit", (code, signal) => {
        // Its children hold the pipes open, and nobody talks to them any more.
        killGroup(child, "SIGKILL")
        const how =
          signal === null ? `It ended with exit code ${code}` : `It was ended by ${signal}`
        const { omitted } = complaints
        const said = { how, head: complaints.head(), tail: complaints.tail(), omitted }
        onEnd(describeComplaints(said, serverSecrets(server, environment)))
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
  if (await isOver(limits.bridge.endMs)) return
  killGroup(child, "SIGTERM")
  if (await isOver(limits.terminateGraceMs)) return
  killGroup(child, "SIGKILL")
  await isOver(limits.killWaitMs)
}

const running = new Set<ChildProcess>()

/** However this process leaves: before a start was over, or at once because it was told twice. */
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
    // Nobody is left in it.
  }
}

interface Complaints {
  readonly how: string
  readonly head: Uint8Array
  readonly tail: Uint8Array
  /** Bytes between the two that are not there. */
  readonly omitted: number
}

/** How a server ended, with the last that it said about it, in which no secret is left. */
export function describeComplaints(
  { how, head, tail, omitted }: Complaints,
  secrets: Secrets,
): string {
  const [first, last] = [head, tail].map((bytes) => Buffer.from(bytes).toString("utf8"))
  // A line that is not whole may hold a part of a secret.
  const whole = [first?.replace(/[^\n]*$/, ""), last?.replace(/^[^\n]*/, "")]
  const said = secrets.hide((omitted > 0 ? whole : [first, last]).join(""))
  const lines = said.trim().split("\n")
  const chosen = lines.findLast((line) => /\berror\b/i.test(line)) ?? lines.at(-1) ?? ""
  const short = cleanText(chosen, complaintCharacters)
  if (short === "") return `${how}.`
  return `${how}: ${short}${/[.!?]$/.test(short) ? "" : "."}`
}
