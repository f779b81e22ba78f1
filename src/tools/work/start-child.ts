import { type ChildProcess, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Duplex } from "node:stream"
import { fileURLToPath } from "node:url"
import { confineProgram, filterDescriptor } from "../../sandbox/index.ts"
import { workLimits } from "../limits.ts"
import type { Way, WorkProgram } from "./session-work.ts"

export interface StartedChild {
  readonly process: ChildProcess
  readonly messages: Duplex
}

const main = new URL("./work-main.ts", import.meta.url)
const firstUser = 2_000_000
const users = 2 ** 24

/** Null where this way is none. */
export function startChild(
  kind: WorkProgram,
  { isConfined, isStranger }: Way,
): StartedChild | null {
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

/** What a process that works reads of this machine: Node, Toolkeep's own code, and installed packages. */
function readableFiles(file: URL): readonly string[] {
  const node = realpathSync(process.execPath)
  const parents: string[] = []
  for (let at = dirname(realpathSync(fileURLToPath(file))); ; at = dirname(at)) {
    parents.unshift(at)
    if (at === dirname(at)) break
  }
  const own = parents.findLast((path) => isToolkeep(join(path, "package.json")))
  return [
    ...[process.execPath, node, join(dirname(dirname(node)), "lib")],
    // From the outside in: one may hold the next.
    ...parents.map((path) => join(path, "node_modules")),
    ...(own === undefined ? [] : ["package.json", "src", "dist"].map((name) => join(own, name))),
  ].filter((path) => existsSync(path))
}

function isToolkeep(path: string): boolean {
  try {
    return JSON.parse(readFileSync(path, "utf8")).name === "toolkeep"
  } catch {
    return false
  }
}
