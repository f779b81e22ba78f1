import type { Stats } from "node:fs"
import { access, constants, type FileHandle, lstat, open, rename, unlink } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { createId } from "../../../../kit/index.ts"
import type { FileWrite } from "../../../host/operation.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { errnoOf } from "../file-error.ts"
import { type FileScope, findInside, holdDirectory } from "./hold.ts"

const { O_APPEND, O_CREAT, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_WRONLY, W_OK } = constants
const permissionBits = 0o7777
/** What a program gets that asks for nothing special; the process's umask takes its part away. */
const defaultMode = 0o666

export async function writeFile(operation: FileWrite, scope: FileScope): Promise<null> {
  const { path } = operation
  const real = await findInside(path, scope.root)
  if (real === scope.root) throw new WorkspaceError("is-directory", path)
  await using parent = await holdDirectory(dirname(real), scope.root, path)
  const at = `${parent.at}/${basename(real)}`
  const existing = await writable(at, path)
  if (operation.append) await append(operation, at, existing)
  else await replace(operation, { at, existing, directory: parent.at, signal: scope.signal })
  return null
}

/** What is there now, if it is something that may be written to. */
async function writable(at: string, path: string): Promise<Stats | null> {
  try {
    const stats = await lstat(at)
    if (stats.isDirectory()) throw new WorkspaceError("is-directory", path)
    if (!stats.isFile()) throw new WorkspaceError("not-file", path)
    // A rename needs no permission of the file that it replaces; a write does.
    await access(at, W_OK)
    return stats
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null
    throw error
  }
}

async function append({ path, data, mode }: FileWrite, at: string, existing: Stats | null) {
  const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
  await using file = await open(at, flags, mode ?? defaultMode)
  if (!(await file.stat()).isFile()) throw new WorkspaceError("not-file", path)
  if (!existing && mode !== null) await file.chmod(mode & permissionBits)
  // In one write where the system allows it: two that append at once then don't mix their bytes.
  for (let written = 0; written < data.length; ) {
    written += (await file.write(data, written)).bytesWritten
  }
}

interface Replacement {
  readonly at: string
  readonly existing: Stats | null
  readonly directory: string
  readonly signal: AbortSignal
}

/**
 * Written beside it under another name, then renamed: a reader finds the old content or the new one,
 * whole. It survives the end of this process; it is not flushed to the disk, which would cost
 * milliseconds for each file and matters only when the machine itself loses power. Other names (hard
 * links) of the old file keep the old content.
 */
async function replace({ data, mode }: FileWrite, target: Replacement): Promise<void> {
  const { at, existing, directory, signal } = target
  const temporary = `${directory}/.toolkeep-${createId("write")}`
  const wanted = existing ? existing.mode & permissionBits : mode
  const file = await open(
    temporary,
    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
    wanted ?? defaultMode,
  )
  try {
    try {
      await file.writeFile(data, { signal })
      if (existing) await keepOwner(file, existing)
      if (wanted !== null) await file.chmod(wanted & permissionBits)
    } finally {
      await file.close()
    }
    signal.throwIfAborted()
    await rename(temporary, at)
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
}

/** Root may edit another user's file; it should stay theirs. */
async function keepOwner(file: FileHandle, { uid, gid }: Stats): Promise<void> {
  const own = await file.stat()
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => {})
}
