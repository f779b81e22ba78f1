import { type ChildProcess, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import type { Duplex } from "node:stream"
import { fileURLToPath } from "node:url"
import { confineProgram, filterDescriptor } from "../../sandbox/index.ts"
import { workLimits } from "../limits.ts"
import { readableFiles } from "./readable-files.ts"

/** One kind of work, which has a process of its own. */
export interface WorkKind {
  /** What `answerRequests` is called in. */
  readonly file: URL
  readonly memoryBytes: number
}

/** How much of this machine the process sees. */
export interface Way {
  /** Behind a wall: without files, network and other processes. */
  readonly isConfined: boolean
  /** As a user whom this machine knows nothing of. */
  readonly isStranger: boolean
}

export interface StartedChild {
  readonly process: ChildProcess
  readonly messages: Duplex
}

const main = new URL("./work-main.ts", import.meta.url)
const firstUser = 2_000_000
const users = 2 ** 24

/** Null where this way is none. */
export function startChild(kind: WorkKind, { isConfined, isStranger }: Way): StartedChild | null {
  const heapMegabytes = Math.ceil(kind.memoryBytes / 1024 ** 2)
  const plain = [
    process.execPath,
    ...["--no-warnings", `--max-old-space-size=${heapMegabytes}`, fileURLToPath(main)],
    ...[kind.file.href, String(kind.memoryBytes), String(workLimits.lookMs)],
  ] as const
  const confined = isConfined
    ? confineProgram(plain, {
        readable: [...readableFiles(main), fileURLToPath(kind.file)],
        temporaryBytes: workLimits.temporaryBytes,
      })
    : null
  if (isConfined && !confined) return null
  const [program, ...args] = confined?.command ?? plain
  const user = firstUser + randomInt(users)
  const child = spawn(program, args, {
    // In this order: the filter, requests and answers, and what closes when this process has ended.
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe", "pipe"],
    env: {},
    // In a group of its own: Ctrl-C is for Toolkeep, which may let work end first.
    detached: true,
    ...(isStranger ? { uid: user, gid: user } : {}),
  })
  const [filter, messages, life] = child.stdio.slice(filterDescriptor) as Duplex[]
  if (!filter || !messages || !life) throw new Error("The process was started without its pipes.")
  for (const pipe of [filter, messages, life]) pipe.on("error", () => {})
  filter.end(confined?.filter)
  // None of them keeps this process from ending.
  child.unref()
  for (const pipe of [filter, messages, life]) setRef(pipe, false)
  return { process: child, messages }
}

/** Whether this process stays for what comes through the pipe. */
export function setRef(pipe: Duplex, isWaiting: boolean): void {
  const socket = pipe as Duplex & { ref?(): void; unref?(): void }
  if (isWaiting) socket.ref?.()
  else socket.unref?.()
}
