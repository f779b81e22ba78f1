import { chmod, mkdir } from "node:fs/promises"
import { basename, dirname } from "node:path"
import type { Operation } from "../../../host/operation.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { errnoOf } from "../file-error.ts"
import type { FileScope } from "./file-scope.ts"
import { findInside } from "./find-inside.ts"
import { holdDirectory } from "./hold-directory.ts"
import { lookAt } from "./hold-place.ts"

export async function makeDirectory(
  { path, mode }: Extract<Operation, { kind: "file.mkdir" }>,
  { root }: FileScope,
): Promise<null> {
  const real = await findInside(path, root)
  if (real !== root && (await lookAt(real)) === null) await make({ path, mode, real, root })
  const held = await holdDirectory(real, root, path)
  await held.release()
  return null
}

interface Making {
  readonly path: string
  readonly mode: number | null
  readonly real: string
  readonly root: string
}

async function make({ path, mode, real, root }: Making): Promise<void> {
  // A link to nothing is in the way: nobody asked for the place that it names.
  if ((await lookAt(path).catch(() => null))?.isSymbolicLink()) {
    throw new WorkspaceError("not-directory", path)
  }
  const parent = await holdDirectory(dirname(real), root, path)
  try {
    const at = `${parent.at}/${basename(real)}`
    await mkdir(at)
    // Exactly what was asked for; the process's umask would take a part away.
    if (mode !== null) await chmod(at, mode)
  } catch (error) {
    // Somebody else was faster.
    if (errnoOf(error) !== "EEXIST") throw error
  } finally {
    await parent.release()
  }
}
