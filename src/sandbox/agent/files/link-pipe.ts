import { linkSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import type { Exchange } from "../commands/exchange.ts"

/** Lets commands reach a pipe of this machine for as long as the work takes; `path` is where it is inside. */
export async function withPipe<Result>(
  pipe: string,
  { directory }: Exchange,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const name = basename(pipe)
  const link = join(directory, name)
  linkSync(pipe, link)
  try {
    return await work(`/run/toolkeep/${name}`)
  } finally {
    rmSync(link, { force: true })
  }
}
