import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as wait } from "node:timers/promises"
import { limits, ToolFailure } from "../../contract/index.ts"
import { BoundedBytes } from "../../kit/index.ts"
import { cleanText } from "./clean-text.ts"
import { fillInVariables } from "./fill-in-variables.ts"
import type { OpenPipe } from "./server-pipe.ts"
import type { StdioServer } from "./server-spec.ts"

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
    const child = spawn(server.command, [...server.args], {
      cwd: server.cwd,
      env: { ...Object.fromEntries(usual), ...own },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    })
    // Before its pipes are used: without a free file descriptor it has none.
    if (child.pid === undefined) throw notStarted(server, (await once(child, "error"))[0])
    const complaints = new BoundedBytes(limits.bridge.complaintBytes)
    child.stderr.on("data", (bytes) => complaints.push(bytes))
    child.stdout.on("data", onOutput)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {})
    const ended = new Promise<void>((resolve) => {
      child.once("exit", (code, signal) => {
        // Its children hold the pipes open, and nobody talks to them any more.
        killGroup(child, "SIGKILL")
        onEnd(describeEnd(code, signal, complaints))
        resolve()
      })
    })
    return {
      write: (text) => written(child, text),
      close: () => endGroup(child, ended),
    }
  }
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

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody is left in it.
  }
}

function describeEnd(code: number | null, signal: string | null, complaints: BoundedBytes): string {
  const how = signal === null ? `It ended with exit code ${code}` : `It was ended by ${signal}`
  return describeComplaints(how, [complaints.head(), complaints.tail()])
}

/** How a server ended, with the last that it said about it. */
export function describeComplaints(how: string, parts: readonly Uint8Array[]): string {
  const lines = Buffer.concat(parts).toString("utf8").trim().split("\n")
  const last = lines.findLast((line) => /\berror\b/i.test(line)) ?? lines.at(-1) ?? ""
  const said = cleanText(last, complaintCharacters)
  if (said === "") return `${how}.`
  return `${how}: ${said}${/[.!?]$/.test(said) ? "" : "."}`
}
