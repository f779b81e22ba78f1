import { Buffer } from "node:buffer"
import type { Stats } from "node:fs"
import { constants, type FileHandle, open, readlink } from "node:fs/promises"
import { basename } from "node:path"
import { limits } from "../../../../contract/index.ts"
import type { Operation } from "../../../host/operation.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { type PackedEntry, packArchive } from "../../../trees/pack-archive.ts"
import { fileError } from "../file-error.ts"
import { entryIn, type FileScope, type Held, holdTarget, lookAt, namesIn } from "../files/hold.ts"

const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = constants

/** Packs a directory's content, or one file, while the archive is read. */
export async function exportTree(
  { path }: Extract<Operation, { kind: "tree.export" }>,
  scope: FileScope,
): Promise<ReadableStream<Uint8Array>> {
  const held = await holdTarget(path, scope.root)
  if (held.stats.isDirectory() || held.stats.isFile()) {
    return packArchive(withWorkspaceErrors(entriesOf(held, path), path), scope.signal)
  }
  await held[Symbol.asyncDispose]()
  throw new WorkspaceError("not-file", path)
}

async function* entriesOf(top: Held, path: string): AsyncGenerator<PackedEntry> {
  await using held = top
  if (held.stats.isFile()) yield* fileEntry(held.at, basename(path), path)
  else yield* directoryEntries(held, held.stats, { name: "", path })
}

interface Walked {
  /** In the archive. */
  readonly name: string
  /** For the error. */
  readonly path: string
}

async function* directoryEntries(
  directory: { readonly at: string | Buffer },
  stats: Stats,
  { name, path }: Walked,
): AsyncGenerator<PackedEntry> {
  yield { kind: "directory", name, ...factsOf(stats) }
  for (const bytes of await namesIn(directory)) {
    const inside = textOf(bytes, path)
    yield* entryAt(entryIn(directory, bytes), { name: name ? `${name}/${inside}` : inside, path })
  }
}

/** Sockets, pipes and devices have no content; what is gone by now is none of the tree any more. */
async function* entryAt(at: Buffer, { name, path }: Walked): AsyncGenerator<PackedEntry> {
  const stats = await lookAt(at)
  if (stats?.isSymbolicLink()) {
    const target = textOf(await readlink(at, { encoding: "buffer" }), path)
    yield { kind: "symlink", name, target, ...factsOf(stats) }
  } else if (stats?.isDirectory()) yield* directoryEntries({ at }, stats, { name, path })
  else if (stats?.isFile()) yield* fileEntry(at, name, path)
}

async function* fileEntry(
  at: string | Buffer,
  name: string,
  path: string,
): AsyncGenerator<PackedEntry> {
  await using file = await open(at, O_RDONLY | O_NONBLOCK | O_NOCTTY)
  const stats = await file.stat()
  const content = pieces(file, stats.size, path)
  yield { kind: "file", name, size: stats.size, content, ...factsOf(stats) }
}

/** As much as there was when the entry began: a log may grow meanwhile. */
async function* pieces(file: FileHandle, size: number, path: string): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < size; ) {
    const length = Math.min(limits.chunkBytes, size - position)
    const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, position)
    if (bytesRead === 0) {
      const cause = new Error("A file became shorter while it was read.")
      throw new WorkspaceError("failed", path, { cause })
    }
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}

function textOf(bytes: Buffer, path: string): string {
  const text = bytes.toString()
  if (Buffer.from(text).equals(bytes)) return text
  const cause = new Error(`The name ${JSON.stringify(text)} is not UTF-8.`)
  throw new WorkspaceError("failed", path, { cause })
}

function factsOf({ mode, mtimeMs }: Stats) {
  return { mode: mode & 0o7777, modifiedMs: mtimeMs }
}

/** What goes wrong while the archive is read reaches its reader. */
async function* withWorkspaceErrors(
  entries: AsyncIterable<PackedEntry>,
  path: string,
): AsyncGenerator<PackedEntry> {
  try {
    yield* entries
  } catch (error) {
    throw fileError(error, path)
  }
}
