import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync } from "node:fs"
import type { Readable, Writable } from "node:stream"
import { systemPath } from "./mount-home.ts"

export interface StartOptions {
  readonly program: string
  readonly args: readonly string[]
  /** The sandbox's user on this machine; null for the user who runs Toolkeep. */
  readonly user: number | null
  /** How many processes it may have. */
  readonly processes: number
  /** What it joins before it does anything else, by writing 0 there. */
  readonly groups: readonly string[]
  /** The file with the seccomp filter. */
  readonly filter: string
}

export interface StartedBwrap {
  readonly child: ChildProcess
  readonly stdin: Writable
  readonly stdout: Readable
  /** What it says about its end, once it has ended. */
  readonly problem: Promise<string>
  /** The first process inside. */
  readonly inner: number
}

/**
 * Becomes a program once the limits hold; a process that could not join its groups ends here. Its limit of processes is
 * for the shell inside, which has room in memory for as many as it may have when it starts, 32,768 at most: half a
 * megabyte of each sandbox (bench: many-memory). The kernel keeps it for the user namespace that begins here.
 */
const joinAndBecome = `if [ "$1" ]; then ulimit -S -p "$1" 2>/dev/null || ulimit -S -u "$1"; fi
n=$2; shift 2
while [ "$n" -gt 0 ]; do echo 0 >"$1" || exit 1; shift; n=$((n - 1)); done
exec "$@"`

/** Starts bwrap with its limits in force. */
export async function startBwrap(options: StartOptions): Promise<StartedBwrap> {
  const { program, args, user, groups } = options
  const filter = openSync(options.filter, "r")
  // The system counts by user: one who is somebody else too may have more already.
  const processes = user === null ? "" : String(options.processes)
  const joining = ["-c", joinAndBecome, "sh", processes, String(groups.length), ...groups]
  let child: ChildProcess
  try {
    child = spawn("/bin/sh", [...joining, program, ...args], {
      stdio: ["pipe", "pipe", "pipe", filter, "pipe"],
      env: { PATH: systemPath },
      // In a group of its own: Ctrl-C is for Toolkeep, which may let commands end first.
      detached: true,
      ...(user === null ? {} : { uid: user, gid: user }),
    })
  } finally {
    closeSync(filter)
  }
  // Without a free file descriptor there is neither a process nor a pipe, only this error.
  if (child.pid === undefined) throw (await once(child, "error"))[0]
  const problem = child.stderr ? firstText(child.stderr) : Promise.resolve("")
  const [stdin, stdout, , , info]: readonly unknown[] = child.stdio
  if (!stdin || !stdout || !info) throw new Error("bwrap was started without its pipes.")
  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject)
    child.once("exit", async () => reject(new Error(`bwrap: ${(await problem).trim()}`)))
  })
  failed.catch(() => {})
  const inner = await Promise.race([readPid(info as Readable), failed])
  return { child, stdin: stdin as Writable, stdout: stdout as Readable, problem, inner }
}

const longestProblem = 4096

/** Its beginning only: the first process inside can write there for as long as the sandbox lives. */
function firstText(stream: Readable): Promise<string> {
  let problem = ""
  stream.setEncoding("utf8").on("data", (part: string) => {
    problem = (problem + part).slice(0, longestProblem)
    if (problem.length === longestProblem) stream.destroy()
  })
  return new Promise((resolve) => {
    stream.on("error", () => {}).once("close", () => resolve(problem))
  })
}

async function readPid(info: Readable): Promise<number> {
  let json = ""
  for await (const part of info.setEncoding("utf8")) {
    json += part
    if (json.includes("}")) break
  }
  const pid = /"child-pid": (\d+)/.exec(json)?.[1]
  if (pid === undefined) throw new Error("bwrap did not say what it started.")
  return Number(pid)
}
