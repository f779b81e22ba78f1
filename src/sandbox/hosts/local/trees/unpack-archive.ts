import { constants, link, lutimes, mkdir, open, symlink, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { ArchiveEntry, EntryFacts } from "../../../trees/read-archive.ts"
import { errnoOf } from "../file-error.ts"
import { lookAt } from "../files/hold.ts"

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
/** A program of the archive runs as the user who starts it, never as the user who unpacked it. */
const fileBits = 0o1777
/** Enough to tell one file from anything else. */
const entriesSeen = 3

export interface Unpacked {
  /** With what the archive says about them, which is applied when nothing is put in any more. */
  readonly directories: readonly (EntryFacts & { readonly name: string })[]
  /** The first few of all. */
  readonly entries: readonly Pick<ArchiveEntry, "kind" | "name">[]
}

/**
 * Unpacks into a directory that nobody else uses. Symbolic links come last, so that none is there that
 * a name could lead through, however the file system compares names.
 */
export async function unpackArchive(
  stage: string,
  archive: AsyncIterable<ArchiveEntry>,
  signal: AbortSignal,
): Promise<Unpacked> {
  const directories: (EntryFacts & { name: string })[] = []
  const entries: Pick<ArchiveEntry, "kind" | "name">[] = []
  const links = new Map<string, Extract<ArchiveEntry, { kind: "symlink" }>>()
  for await (const entry of archive) {
    const { kind, name } = entry
    if (entries.length < entriesSeen && name !== "") entries.push(entry)
    links.delete(name)
    if (kind === "symlink") links.set(name, entry)
    else if (kind === "file") await writeFile(await free(stage, name), entry, signal)
    else if (kind === "directory") {
      await makeDirectory(stage, name)
      directories.push(entry)
    } else {
      const same = links.get(entry.target)
      if (same) links.set(name, { ...same, name })
      else if (name !== entry.target) {
        await link(join(stage, entry.target), await free(stage, name))
      }
    }
  }
  signal.throwIfAborted()
  for (const { name, target, modifiedMs } of links.values()) {
    const at = await free(stage, name)
    await symlink(target, at)
    await lutimes(at, modifiedMs / 1000, modifiedMs / 1000)
  }
  return { directories, entries }
}

async function writeFile(
  at: string,
  entry: Extract<ArchiveEntry, { kind: "file" }>,
  signal: AbortSignal,
): Promise<void> {
  await using file = await open(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  for await (const bytes of entry.body) {
    signal.throwIfAborted()
    await file.writeFile(bytes)
  }
  await file.chmod(entry.mode & fileBits)
  await file.utimes(entry.modifiedMs / 1000, entry.modifiedMs / 1000)
}

/** Where an entry goes; an earlier one of that name is replaced. */
async function free(stage: string, name: string): Promise<string> {
  await makeDirectory(stage, dirname(name))
  const at = join(stage, name)
  await unlink(at).catch((error: unknown) => {
    if (errnoOf(error) !== "ENOENT") throw error
  })
  return at
}

async function makeDirectory(stage: string, name: string): Promise<void> {
  const at = join(stage, name)
  await mkdir(at, { recursive: true }).catch(async (error: unknown) => {
    if (!["EEXIST", "ENOTDIR"].includes(errnoOf(error) ?? "")) throw error
    // Files that came before have the names of directories on the way.
    for (let path = at; path !== stage; path = dirname(path)) {
      const stats = await lookAt(path).catch(() => null)
      if (stats && !stats.isDirectory()) await unlink(path)
    }
    await mkdir(at, { recursive: true })
  })
}
