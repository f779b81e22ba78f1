import { execFile } from "node:child_process"
import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { promisify } from "node:util"
import { limits } from "../../contract/index.ts"
import { createId } from "../../kit/index.ts"
import type { Dispatcher } from "../dispatcher.ts"
import { WorkspaceError } from "../workspace-error.ts"
import { countFiles } from "./count-files.ts"

const run = promisify(execFile)

export interface TreeMove {
  readonly from: { readonly dispatcher: Dispatcher; readonly path: string }
  readonly to: { readonly dispatcher: Dispatcher; readonly path: string }
  readonly as: "directory" | "file"
  readonly signal: AbortSignal
}

/** Whether both sandboxes can be given the same pipe of this machine. */
export function sharesPipes({ from, to }: TreeMove): boolean {
  const [one, two] = [from.dispatcher.sandbox.pipes, to.dispatcher.sandbox.pipes]
  if (one === undefined || two === undefined || one === two) return false
  // A pipe is put into both places as a link, which works only on one disk.
  return statSync(one).dev === statSync(two).dev
}

/** Whether tar could not write on, which is never its own fault. */
function isCutOff(error: unknown): boolean {
  const { cause } = error instanceof WorkspaceError ? error : {}
  return cause instanceof Error && /^$|Broken pipe/.test(cause.message)
}

async function settledSoon(work: Promise<unknown>): Promise<void> {
  const patience = wait(limits.releaseGraceMs, undefined, { ref: false })
  await Promise.race([work.catch(() => {}), patience])
}

/** From the one's tar to the other's through a pipe of the kernel's: this process only counts the files. */
export async function throughPipe(move: TreeMove): Promise<number> {
  const { from, to, as, signal } = move
  const pipe = join(from.dispatcher.sandbox.pipes ?? "", createId("pipe"))
  await run("mkfifo", ["-m", "666", pipe])
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  // Whichever side fails, the other would wait for it for ever.
  const orStop = <Result>(work: Promise<Result>) =>
    work.catch((error: unknown) => {
      failed.abort(error)
      throw error
    })
  try {
    const taken = orStop(
      to.dispatcher.dispatch<"tree.import">(
        { kind: "tree.import", path: to.path, as },
        { signal: either, pipe },
      ),
    )
    const sent = orStop(
      from.dispatcher
        .dispatch<"tree.export">({ kind: "tree.export", path: from.path }, { signal: either, pipe })
        .catch(async (error: unknown) => {
          // Nobody reads any more: why is what the other side says, and its answer is on its way.
          if (isCutOff(error)) await settledSoon(taken)
          throw error
        }),
    )
    const counted = orStop(countFiles(from, either))
    await Promise.allSettled([sent, taken, counted])
    // The first failure ends the others, and is the one that is told.
    failed.signal.throwIfAborted()
    return await counted
  } finally {
    rmSync(pipe, { force: true })
  }
}
