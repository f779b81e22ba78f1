import { execFile, spawn } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { limits, ToolFailure } from "../../contract/index.ts"
import { createId, quoteArguments, withTimeout } from "../../kit/index.ts"
import { injectedFirst } from "../agent/commands/require-programs.ts"
import { WorkspaceError } from "../host/workspace-error.ts"
import { sandboxLimits } from "../limits.ts"
import type { OpenSandbox } from "../workspace/create-workspace.ts"

const run = promisify(execFile)
const onOutput = () => {}

export interface TreeMove {
  readonly from: { readonly sandbox: OpenSandbox; readonly path: string }
  readonly to: { readonly sandbox: OpenSandbox; readonly path: string }
  readonly as: "directory" | "file"
  readonly signal: AbortSignal
}

/** Whether both sandboxes can be given a pipe of this machine. */
export function sharesPipes({ from, to }: TreeMove): boolean {
  const [one, two] = [from.sandbox.pipes, to.sandbox.pipes]
  return one !== undefined && two !== undefined && one !== two
}

/** Whether tar could not write on, which is never its own fault. */
function isCutOff(error: unknown): boolean {
  const { cause } = error instanceof WorkspaceError ? error : {}
  return cause instanceof Error && /^$|Broken pipe/.test(cause.message)
}

/**
 * From the one's tar to the other's through pipes of the kernel's: this process only counts the files. Each
 * sandbox has a pipe of its own, and a program outside passes on what it holds until the transfer is over.
 * One pipe for both would join them for as long as a process of each keeps it open.
 */
export async function throughPipe(move: TreeMove): Promise<number> {
  const { from, to, as, signal } = move
  const source = placeForPipe(from)
  const target = placeForPipe(to)
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  // Whichever side fails, the other would wait for it for ever.
  const orStop = <Result>(work: Promise<Result>) =>
    work.catch((error: unknown) => {
      failed.abort(error)
      throw error
    })
  let passing: { end(): void } | null = null
  try {
    await run("mkfifo", ["-m", "666", source, target])
    passing = passOn(source, target, (error) => failed.abort(error))
    const taken = orStop(
      to.sandbox.perform<"tree.import">(
        { kind: "tree.import", path: to.path, as },
        { signal: either, onOutput, pipe: target },
      ),
    )
    const sent = orStop(
      from.sandbox
        .perform<"tree.export">(
          { kind: "tree.export", path: from.path },
          { signal: either, onOutput, pipe: source },
        )
        .catch(async (error: unknown) => {
          // Nobody reads any more: why is what the other side says, and its answer is on its way.
          if (isCutOff(error)) {
            const settled = taken.catch(() => {})
            await withTimeout(settled, limits.releaseGraceMs, { otherwise: () => {} })
          }
          throw error
        }),
    )
    const counted = orStop(countFiles(from, either))
    await Promise.allSettled([sent, taken, counted])
    // The first failure ends the others, and is the one that is reported.
    failed.signal.throwIfAborted()
    return await counted
  } finally {
    passing?.end()
    for (const pipe of [source, target]) rmSync(dirname(pipe), { recursive: true, force: true })
  }
}

/** In a directory of its own: no other user of this machine may open what the sandbox's user may. */
function placeForPipe({ sandbox }: TreeMove["from"]): string {
  const name = createId("pipe")
  const directory = join(sandbox.pipes ?? "", name)
  mkdirSync(directory, { mode: 0o700 })
  return join(directory, name)
}

/** It waits until both sides have opened their pipes, and is ended when they have not. */
function passOn(
  source: string,
  target: string,
  onFailure: (error: Error) => void,
): { end(): void } {
  const child = spawn("/bin/sh", ["-c", 'exec cat <"$1" >"$2"', "sh", source, target], {
    stdio: "ignore",
    env: { PATH: process.env.PATH },
  })
  child.once("error", onFailure)
  // An end by a closed pipe is not a failure: both sides notice that themselves.
  child.once("exit", (code) => {
    if (code)
      onFailure(new Error(`The transfer failed: its bytes could not be copied (cat: ${code}).`))
  })
  return { end: () => child.kill("SIGKILL") }
}

/** Three numbers. Every command inside can write between these lines; a longer line is not stored, and fails the count. */
const lineCharacters = 64

/** What the regular files of a tree hold; one that has several names counts once. */
async function countFiles(
  { sandbox, path }: { readonly sandbox: OpenSandbox; readonly path: string },
  signal: AbortSignal,
): Promise<number> {
  const seen = new Set<string>()
  let files = 0
  let bytes = 0
  let rest = ""
  const take = (line: string) => {
    files += 1
    if (line.length > lineCharacters || files > sandboxLimits.files) throw notCounted(path)
    const [names, inode = "", size] = line.split(" ")
    if (names !== "1" && seen.has(inode)) return
    if (names !== "1") seen.add(inode)
    bytes += Number(size)
  }
  const { exitCode, stderr } = await sandbox.perform<"command.run">(
    {
      kind: "command.run",
      command: `${injectedFirst}\nexec find -H ${quoteArguments([path])} -type f -printf '%n %i %s\\n'`,
      cwd: "/",
      env: { LC_ALL: "C" },
      stdin: new Uint8Array(),
      timeoutMs: null,
      idleTimeoutMs: null,
      maxOutputBytes: 4096,
    },
    {
      signal,
      onOutput: ({ stream, bytes: part }) => {
        if (stream !== "stdout") return
        const lines = (rest + Buffer.from(part).toString("latin1")).split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines) take(line)
        if (rest.length > lineCharacters) throw notCounted(path)
      },
    },
  )
  signal.throwIfAborted()
  if (exitCode === 0) return bytes
  const reason = new TextDecoder().decode(stderr.head).trim().slice(0, 200)
  throw new ToolFailure({
    kind: "execution_error",
    message: `${JSON.stringify(path)} could not be read whole: ${reason}`,
  })
}

function notCounted(path: string): ToolFailure {
  return new ToolFailure({
    kind: "execution_error",
    message: `The files in ${JSON.stringify(path)} could not be counted: there are more than ${sandboxLimits.files}, or a command in the sandbox disturbs it.`,
    retryable: false,
  })
}
