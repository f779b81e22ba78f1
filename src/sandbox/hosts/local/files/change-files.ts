import type { Stats } from "node:fs"
import {
  chmod,
  constants,
  lchown,
  lstat,
  lutimes,
  mkdir,
  open,
  readlink,
  realpath,
  rename,
  rmdir,
  symlink,
  unlink,
  utimes,
} from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { isInside } from "../../../../contract/index.ts"
import { createId } from "../../../../kit/index.ts"
import type { Operation } from "../../../host/operation.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { about, errnoOf } from "../file-error.ts"
import {
  entryIn,
  type FileScope,
  findInside,
  type Held,
  type HeldEntry,
  hold,
  holdDirectory,
  holdEntry,
  holdSource,
  lookAt,
  namesIn,
} from "./hold.ts"

type Of<Kind extends Operation["kind"]> = Extract<Operation, { kind: Kind }>

export async function makeDirectory(
  { path, mode }: Of<"file.mkdir">,
  { root }: FileScope,
): Promise<null> {
  const real = await findInside(path, root)
  if (real !== root && (await lookAt(real)) === null) {
    // A link to nothing is in the way: nobody asked for the directory that it names.
    if ((await lookAt(path).catch(() => null))?.isSymbolicLink()) {
      throw new WorkspaceError("not-directory", path)
    }
    await using parent = await holdDirectory(dirname(real), root, path)
    const at = `${parent.at}/${basename(real)}`
    try {
      await mkdir(at)
      // Exactly the requested mode; the process's umask would take a part away.
      if (mode !== null) await chmod(at, mode)
    } catch (error) {
      // Another process was faster.
      if (errnoOf(error) !== "EEXIST") throw error
    }
  }
  await using _made = await holdDirectory(real, root, path)
  return null
}

export async function removeFile(
  { path, recursive }: Of<"file.remove">,
  scope: FileScope,
): Promise<null> {
  await using entry = recursive
    ? await holdSource(path, scope.root)
    : await holdEntry(path, scope.root, false)
  const stats = await lookAt(entry.at)
  if (stats === null) throw new WorkspaceError("not-found", path)
  if (stats.isDirectory() && !recursive) await rmdir(entry.at)
  else await removeTree(entry.at, scope, path)
  return null
}

/**
 * Removes a name and everything below it. Directories are entered by handles: one that is swapped for a
 * link meanwhile is not followed.
 */
async function removeTree(at: string | Buffer, scope: FileScope, asked: string): Promise<void> {
  scope.signal.throwIfAborted()
  try {
    return await unlink(at)
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return
    const isDirectory = (await lookAt(at))?.isDirectory()
    if (!isDirectory) throw error
  }
  {
    await using directory = await hold(at, scope.root, asked)
    for (const name of await namesIn(directory)) {
      await removeTree(entryIn(directory, name), scope, asked)
    }
  }
  await rmdir(at)
}

/** Removes what an operation made for itself, also after it was aborted. */
export async function removeTemporary(at: string, scope: FileScope, asked: string): Promise<void> {
  const untouched = { ...scope, signal: new AbortController().signal }
  await removeTree(at, untouched, asked).catch(() => {})
}

export async function renameFile(operation: Of<"file.rename">, scope: FileScope): Promise<null> {
  return between(operation, scope, async ({ source, target, isSame }) => {
    if (isSame) {
      const cause = new Error("Both names lead to the same file.")
      throw new WorkspaceError("failed", operation.path, { cause })
    }
    await rename(source.at, target.at).catch(async (error: unknown) => {
      if (errnoOf(error) !== "EXDEV") throw error
      // Another file system is mounted inside.
      await copyInto({ source, target }, operation.path, scope)
      await removeTree(source.at, scope, operation.path)
    })
  })
}

export async function copyFile(operation: Of<"file.copy">, scope: FileScope): Promise<null> {
  return between(operation, scope, (ends) => copyInto(ends, operation.path, scope))
}

interface Ends {
  readonly source: HeldEntry
  readonly target: HeldEntry
}

/** Into a name of its own first, so that half a copy never stands where a whole one is expected. */
async function copyInto({ source, target }: Ends, path: string, scope: FileScope): Promise<void> {
  const temporary = `${target.directory.at}/.toolkeep-${createId("copy")}`
  try {
    await copyTree({ from: source.at, to: temporary, scope, asked: path })
    await rename(temporary, target.at)
  } catch (error) {
    await removeTemporary(temporary, scope, path)
    throw error
  }
}

/** Holds both ends while the work goes on, once it is clear that nothing is replaced but a file. */
async function between(
  { path, to }: { readonly path: string; readonly to: string },
  { root }: FileScope,
  work: (ends: Ends & { readonly isSame: boolean }) => Promise<void>,
): Promise<null> {
  await using source = await holdSource(path, root)
  const sourceStats = await lookAt(source.at)
  if (sourceStats === null) throw new WorkspaceError("not-found", path)
  if (to === root) throw new WorkspaceError("is-directory", to)
  await using target = await about(to, holdEntry(to, root, true))
  const targetStats = await about(to, lookAt(target.at))
  if (targetStats?.isDirectory()) throw new WorkspaceError("is-directory", to)
  if (targetStats && sourceStats.isDirectory()) throw new WorkspaceError("not-directory", to)
  await refuseItself({ source, target }, path)
  await work({ source, target, isSame: isSame(sourceStats, targetStats) })
  return null
}

/** Its copy would be copied again and again. */
async function refuseItself({ source, target }: Ends, path: string): Promise<void> {
  const real = join(await realpath(source.directory.at), basename(path))
  if (isInside(real, await realpath(target.directory.at))) {
    throw new WorkspaceError("into-itself", path)
  }
}

function isSame(source: Stats, target: Stats | null): boolean {
  return target !== null && source.ino === target.ino && source.dev === target.dev
}

const { O_CREAT, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
/** Between two steps of this size an abort is noticed. */
const stepBytes = 1024 * 1024
const permissionBits = 0o7777

interface Copying {
  readonly from: string | Buffer
  /** Must be free. */
  readonly to: string | Buffer
  readonly scope: FileScope
  /** For the error. */
  readonly asked: string
}

/** A file, a link or a tree with permissions, times and, where the user may, owners. */
async function copyTree(copying: Copying): Promise<void> {
  const { from, to, scope, asked } = copying
  scope.signal.throwIfAborted()
  const stats = await lstat(from)
  if (stats.isSymbolicLink()) {
    await symlink(await readlink(from, { encoding: "buffer" }), to)
    await keepOwner(to, stats)
    return lutimes(to, stats.atimeMs / 1000, stats.mtimeMs / 1000)
  }
  if (!stats.isDirectory() && !stats.isFile()) throw new WorkspaceError("not-file", asked)
  await using held = await hold(from, scope.root, asked)
  if (held.stats.isDirectory()) await copyDirectory(held, copying)
  else await copyContent(held.at, held.stats, copying)
}

async function copyDirectory(source: Held, { to, scope, asked }: Copying): Promise<void> {
  await mkdir(to, 0o700)
  await using made = await hold(to, scope.root, asked)
  for (const name of await namesIn(source)) {
    const [from, into] = [entryIn(source, name), entryIn(made, name)]
    await copyTree({ from, to: into, scope, asked })
  }
  await keepOwner(made.at, source.stats)
  await chmod(made.at, source.stats.mode & permissionBits)
  await utimes(made.at, source.stats.atimeMs / 1000, source.stats.mtimeMs / 1000)
}

async function copyContent(at: string, stats: Stats, { to, scope }: Copying): Promise<void> {
  await using source = await open(at, O_RDONLY | O_NONBLOCK | O_NOCTTY)
  await using target = await open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  const bytes = source.createReadStream({ autoClose: false, highWaterMark: stepBytes })
  await target.writeFile(bytes, { signal: scope.signal })
  await keepOwner(to, stats)
  await target.chmod(stats.mode & permissionBits)
  await target.utimes(stats.atimeMs / 1000, stats.mtimeMs / 1000)
}

/** Root may copy another user's files; they should stay theirs. */
async function keepOwner(at: string | Buffer, { uid, gid }: Stats): Promise<void> {
  if (process.getuid?.() === uid && process.getgid?.() === gid) return
  await lchown(at, uid, gid).catch(() => {})
}
