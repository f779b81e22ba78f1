import { mkdir } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { errnoOf } from "../file-error.ts"
import { type Held, hold } from "./hold.ts"

/** Holds the directory at a real path, and makes it and its parents when they are missing. */
export async function holdDirectory(real: string, root: string, asked: string): Promise<Held> {
  const held = await holdExisting(real, root, asked)
  if (held) return held
  const parent = await holdDirectory(dirname(real), root, asked)
  try {
    const at = `${parent.at}/${basename(real)}`
    await mkdir(at).catch((error: unknown) => {
      if (errnoOf(error) !== "EEXIST") throw error
    })
    const made = await holdExisting(at, root, asked)
    if (!made) throw new WorkspaceError("not-found", asked)
    return made
  } finally {
    await parent.release()
  }
}

/** The sandbox's own directory is never made anew: whoever removed it meant it. */
async function holdExisting(path: string, root: string, asked: string): Promise<Held | null> {
  try {
    const held = await hold(path, root, asked)
    if (held.stats.isDirectory()) return held
    await held.release()
    throw new WorkspaceError("not-directory", asked)
  } catch (error) {
    if (errnoOf(error) === "ENOENT" && path !== root) return null
    throw error
  }
}
