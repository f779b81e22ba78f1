import { spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { isDeepStrictEqual } from "node:util"
import { createId } from "../../kit/index.ts"
import { sha256 } from "../../node/index.ts"
import { permanentFailure } from "../host/unsupported.ts"
import { touch } from "../owners/shared-directory.ts"

/** Last in a directory that was uploaded: what has it is whole. */
export const wholeMark = ".whole"

/** All but the mark, and what another Toolkeep has not finished. */
export function namesIn(directory: string): string[] {
  const names = readdirSync(directory).filter(
    (name) => name !== wholeMark && !name.includes(".new_"),
  )
  return names.sort()
}

/** Another version of a program is put beside the one that running sandboxes use. */
export function fingerprintOf(directory: string): string {
  return sha256(JSON.stringify(contentOf(directory, namesIn(directory)))).slice(0, 24)
}

/** The files with their sizes and times. A directory's own time only says when it was last used. */
function contentOf(directory: string, names: readonly string[]): readonly unknown[] {
  return names.flatMap((name): readonly unknown[] => {
    const path = join(directory, name)
    const found = statSync(path)
    if (found.isDirectory())
      return contentOf(
        directory,
        namesIn(path).map((inner) => join(name, inner)),
      )
    return [[name, found.size, Math.floor(found.mtimeMs)]]
  })
}

/**
 * Packs names of a directory with tar. tar also fails when a file gets another name meanwhile, as
 * each Toolkeep gives Node and its libraries: here it fails only when the files themselves differ.
 */
export async function packNames(
  directory: string,
  names: readonly string[],
  write: (packed: Readable) => Promise<unknown>,
): Promise<void> {
  const before = contentOf(directory, names)
  const owner = ["--owner=0", "--group=0", "--mode=go-w"]
  const tar = spawn("tar", [...owner, "-C", directory, "-c", "--", ...names], {
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [[code], said] = await Promise.all([
    once(tar, "close"),
    text(tar.stderr),
    write(tar.stdout).finally(() => tar.stdout.destroy()),
  ])
  const isSame = () => isDeepStrictEqual(before, contentOf(directory, names))
  if (code === 0 || (code === someChanged && isSame())) return
  throw permanentFailure(`${directory} could not be packed: ${said.trim()}`)
}

const someChanged = 1

/** A directory of programs as one file, whose length is known before it is sent. */
export interface PackedDirectory {
  readonly path: string
  readonly bytes: number
}

/** Packs a directory into a file beside others of its kind; done again, it costs nothing. */
export async function packDirectory(directory: string, parent: string): Promise<PackedDirectory> {
  const path = join(parent, `packed-${fingerprintOf(directory)}.tar`)
  if (existsSync(path)) touch(path)
  else {
    const temporary = `${path}.${createId("new")}`
    try {
      await packNames(directory, namesIn(directory), (packed) =>
        pipeline(packed, createWriteStream(temporary)),
      )
      renameSync(temporary, path)
    } finally {
      rmSync(temporary, { force: true })
    }
  }
  return { path, bytes: statSync(path).size }
}
