import type { Stats } from "node:fs"
import { constants, lstat, mkdir, open, readdir, readlink, realpath } from "node:fs/promises"
import { basename, dirname, resolve } from "node:path"
import { isInside, limits } from "../../../../contract/index.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { errnoOf } from "../file-error.ts"

/** Linux's flag for a handle that only names a file: nothing is opened, so no FIFO or device notices. */
const O_PATH = 0o10000000
const { O_NOFOLLOW } = constants
const mostLinks = 40

/** The directory that file operations stay in, and the signal that ends one early. */
export interface FileScope {
  /** A real path: no part of it is a link. */
  readonly root: string
  readonly signal: AbortSignal
}

/** A file or directory that was seen to be inside, held so that it stays the same one. */
export interface Held extends AsyncDisposable {
  /** The path to use it by; names can be put behind a directory's. */
  readonly at: string
  readonly stats: Stats
}

/** A name in a held directory. A link of this name is meant itself, not what it leads to. */
export interface HeldEntry extends AsyncDisposable {
  readonly directory: Held
  readonly at: string
}

/** Holds what a path leads to, every link followed. */
export async function holdTarget(path: string, root: string): Promise<Held> {
  return hold(await findInside(path, root), root, path)
}

/** Where a path really leads, every link followed; it need not exist. Refused when that is outside. */
export async function findInside(path: string, root: string): Promise<string> {
  refuseTooLong(path)
  const real = await realTarget(path, mostLinks).catch((error: unknown) => {
    // Nothing is said about what lies outside, not even whether it exists.
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
  const target = await readlink(here).catch((error: unknown) => {
    if (["EINVAL", "ENOENT"].includes(errnoOf(error) ?? "")) return null
    throw error
  })
  if (target === null) return here
  // A link to a missing file: what is written through it is made where it points.
  if (linksLeft === 0) throw new WorkspaceError("link-loop", path)
  return realTarget(resolve(parent, target), linksLeft - 1)
}

/** Before anything is made: the system would notice only after the parents exist. */
function refuseTooLong(path: string): void {
  const isLong = (part: string) => Buffer.byteLength(part) > limits.pathPartBytes
  if (Buffer.byteLength(path) >= limits.pathBytes || path.split("/").some(isLong)) {
    throw new WorkspaceError("name-too-long", path)
  }
}

/**
 * Holds what is at `path`, whose last part is not followed when it is a link. `asked` is for the error.
 * Between the look that found `path` inside and this one, a directory on the way may have been swapped for
 * a link: so Linux is asked where the handle really is, and everything after goes through the handle.
 * Other systems have no such handle, and there the swap can succeed. Nowhere is a second name (hard link)
 * of an outside file noticed. Commands can reach outside anyway: this keeps file tools from being led
 * there, it does not isolate.
 */
export async function hold(path: string | Buffer, root: string, asked: string): Promise<Held> {
  if (process.platform !== "linux") {
    const stats = refuseLink(await lstat(path), asked)
    return { at: String(path), stats, [Symbol.asyncDispose]: async () => {} }
  }
  const handle = await open(path, O_PATH | O_NOFOLLOW)
  const at = `/proc/self/fd/${handle.fd}`
  try {
    if (!isInside(root, await readlink(at))) throw new WorkspaceError("outside", asked)
    const stats = refuseLink(await handle.stat(), asked)
    return { at, stats, [Symbol.asyncDispose]: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Links were followed before: one that is here now was put here in between. */
function refuseLink(stats: Stats, asked: string): Stats {
  if (stats.isSymbolicLink()) throw new WorkspaceError("link-loop", asked)
  return stats
}

/** Holds the directory at a real path, and makes it and its parents when they are missing. */
export async function holdDirectory(real: string, root: string, asked: string): Promise<Held> {
  const held = await holdExisting(real, root, asked)
  if (held) return held
  await using parent = await holdDirectory(dirname(real), root, asked)
  const at = `${parent.at}/${basename(real)}`
  await mkdir(at).catch((error: unknown) => {
    if (errnoOf(error) !== "EEXIST") throw error
  })
  const made = await holdExisting(at, root, asked)
  if (!made) throw new WorkspaceError("not-found", asked)
  return made
}

/** The sandbox's own directory is never made again: it was removed on purpose. */
async function holdExisting(path: string, root: string, asked: string): Promise<Held | null> {
  try {
    return await requireDirectory(await hold(path, root, asked), asked)
  } catch (error) {
    if (errnoOf(error) === "ENOENT" && path !== root) return null
    throw error
  }
}

async function requireDirectory(held: Held, asked: string): Promise<Held> {
  if (held.stats.isDirectory()) return held
  await held[Symbol.asyncDispose]()
  throw new WorkspaceError("not-directory", asked)
}

/** With `make`, the directories above that are missing are made. */
export async function holdEntry(path: string, root: string, make: boolean): Promise<HeldEntry> {
  // The sandbox's own directory is the user's, and has its name outside.
  if (path === root) throw new WorkspaceError("denied", path)
  const parent = await findInside(dirname(path), root).catch((error: unknown) => {
    throw error instanceof WorkspaceError ? new WorkspaceError(error.code, path) : error
  })
  const directory = make
    ? await holdDirectory(parent, root, path)
    : await requireDirectory(await hold(parent, root, path), path)
  const at = `${directory.at}/${basename(path)}`
  return { directory, at, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
}

/** The entry of something that has to exist. A file in the middle of the path means that it does not. */
export async function holdSource(path: string, root: string): Promise<HeldEntry> {
  return holdEntry(path, root, false).catch((error: unknown) => {
    const code = error instanceof WorkspaceError ? error.code : errnoOf(error)
    const isMissing = code === "ENOTDIR" || code === "not-directory"
    throw isMissing ? new WorkspaceError("not-found", path, { cause: error }) : error
  })
}

/** What is at a path itself; null when nothing is. */
export async function lookAt(path: string | Buffer): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null
    throw error
  }
}

interface AnyDirectory {
  readonly at: string | Buffer
}

/** As bytes: a name need not be UTF-8, and still can be moved, copied and removed. */
export async function namesIn({ at }: AnyDirectory): Promise<readonly Buffer[]> {
  return (await readdir(at, { encoding: "buffer" })).sort(Buffer.compare)
}

export function entryIn({ at }: AnyDirectory, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(at), Buffer.from("/"), name])
}
