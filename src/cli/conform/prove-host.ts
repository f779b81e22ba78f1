import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ProveHost } from "../../http/index.ts"
import { type Host, localHost } from "../../sandbox/index.ts"
import { openHost, toolkeepHome, version } from "../../session/index.ts"
import { saveProof } from "../../store/index.ts"
import { type ConformanceReport, runConformance } from "../../testing/index.ts"

/** For the console: what `toolkeep conform` measures, of one of Toolkeep's own hosts. */
export const proveHost: ProveHost = async (name, onResult) => {
  await using scratch = await createScratch()
  const host = await openNamedHost(name, scratch.directory)
  await saveReport(await runConformance(host, { onResult }))
}

/** A directory that is removed with all that is in it. */
export async function createScratch() {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-conform-"))
  return {
    directory,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

export function saveReport({ host, checks }: ConformanceReport): Promise<void> {
  return saveProof(toolkeepHome(), host, { version, at: Date.now(), checks })
}

export async function openNamedHost(name: string, scratch: string): Promise<Host> {
  // In directories of their own, because checks write and delete as they like.
  if (name === "local") return localHost({ directoryFor: (sandbox) => join(scratch, sandbox) })
  return (await openHost(name)).host
}
