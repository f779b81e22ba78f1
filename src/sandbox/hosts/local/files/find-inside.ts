import { readlink, realpath } from "node:fs/promises"
import { basename, dirname, resolve } from "node:path"
import { isInside, limits } from "../../../../contract/index.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { errnoOf } from "../file-error.ts"

const mostLinks = 40

/** Where a path really leads, every link followed; it need not exist. Refused when that is outside. */
export async function findInside(path: string, root: string): Promise<string> {
  refuseTooLong(path)
  const real = await realTarget(path, mostLinks).catch((error: unknown) => {
    // Nothing is told about what lies outside, not even whether it is there.
    if (!isInside(root, path)) throw new WorkspaceError("outside", path)
    throw error
  })
  if (!isInside(root, real)) throw new WorkspaceError("outside", path)
  return real
}

async function realTarget(path: string, linksLeft: number): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error
  }
  const parent = await realTarget(dirname(path), linksLeft)
  const here = resolve(parent, basename(path))
  const target = await readLink(here)
  if (target === null) return here
  // A link to nothing yet: what is written through it is made where it points.
  if (linksLeft === 0) throw new WorkspaceError("link-loop", path)
  return realTarget(resolve(parent, target), linksLeft - 1)
}

async function readLink(path: string): Promise<string | null> {
  try {
    return await readlink(path)
  } catch (error) {
    if (["EINVAL", "ENOENT"].includes(errnoOf(error) ?? "")) return null
    throw error
  }
}

/** Before anything is made: the system would notice only after the parents exist. */
function refuseTooLong(path: string): void {
  const isLong = (part: string) => Buffer.byteLength(part) > limits.pathPartBytes
  if (Buffer.byteLength(path) >= limits.pathBytes || path.split("/").some(isLong)) {
    throw new WorkspaceError("name-too-long", path)
  }
}
