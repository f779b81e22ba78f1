import { stat } from "node:fs/promises"
import { setTimeout as pause } from "node:timers/promises"
import { type FileStat, limits, type Workspace } from "../../contract/index.ts"
import { requireThat } from "./require.ts"

/**
 * Shell text of a loop that makes a file grow: work that can be seen to go on or to stop. It lasts for
 * some six seconds, so that a host which does not end it leaves nothing behind for ever.
 */
export function tickInto(file: string): string {
  return `for tick in $(seq 1 120); do echo tick >> ${file}; sleep 0.05; done`
}

/** Requires that the loop has worked and has stopped; says how. */
export async function requireStopped(
  workspace: Pick<Workspace, "stat">,
  ...files: readonly string[]
): Promise<string> {
  const sizes = () => Promise.all(files.map(async (file) => (await workspace.stat(file)).size))
  const before = await sizes()
  await pause(limits.conformance.stillMs)
  const after = await sizes()
  files.forEach((file, index) => {
    const [first = 0, last = 0] = [before[index], after[index]]
    requireThat(first > 0, `${file} was never written to`)
    requireThat(
      first === last,
      `${file} grew from ${first} to ${last} bytes in the ${limits.conformance.stillMs} ms after the end`,
    )
  })
  return `${files.join(", ")} did not grow in the ${limits.conformance.stillMs} ms after the end`
}

/** In place of a workspace's own, for a file of this machine that outlives the sandbox. */
export async function sizeOutside(path: string): Promise<FileStat> {
  const { size, mtimeMs, mode } = await stat(path)
  return { type: "file", size, modifiedMs: mtimeMs, mode }
}
