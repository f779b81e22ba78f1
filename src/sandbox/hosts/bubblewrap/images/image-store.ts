import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { rename } from "node:fs/promises"
import { join, resolve } from "node:path"
import { ToolFailure } from "../../../../contract/index.ts"
import { errorCode, errorText } from "../../../../kit/index.ts"
import { sha256 } from "../../../../node/index.ts"
import { permanentFailure } from "../../../host/unsupported.ts"
import { makeWalkable, touch } from "../../../owners/shared-directory.ts"
import { closedParent } from "../examine-machine.ts"
import { type ImageRoot, isOciLayout } from "./image-root.ts"
import type { Unpacked, UnpackSandbox } from "./unpack-image.ts"

export interface ImageStoreOptions {
  /** By name: "host", or where on this machine the image is. */
  readonly sources: Readonly<Record<string, string>>
  /** Where images are unpacked, once. */
  readonly directory: string
  /** Gives a sandbox of this machine's own programs, and takes it back afterwards. */
  readonly withUnpackSandbox: <Result>(
    use: (workplace: UnpackSandbox) => Promise<Result>,
  ) => Promise<Result>
}

export function createImageStore(options: ImageStoreOptions) {
  const sources = Object.hasOwn(options.sources, "host")
    ? options.sources
    : { host: "host", ...options.sources }
  const opening = new Map<string, Promise<ImageRoot>>()

  async function openSource(name: string, source: string): Promise<ImageRoot> {
    if (source === "host") return { kind: "host" }
    const path = resolve(source)
    try {
      if (isRootDirectory(path)) return openDirectory(path)
      return await openUnpacked(path, options)
    } catch (error) {
      throw error instanceof ToolFailure ? error : badImage(name, path, error)
    }
  }

  return {
    /** The first is the default image of sandboxes. */
    names: Object.keys(sources),
    /** What an image is that needs not be unpacked; null for one that does, or that is not there. */
    known(name: string): ImageRoot | null {
      const source = sources[name] ?? "host"
      if (source === "host") return { kind: "host" }
      const path = resolve(source)
      const unpackedPath = unpackedPathOf(path, options)
      if (existsSync(unpackedPath)) return readImagePath(unpackedPath)
      return existsSync(path) && isRootDirectory(path) ? openDirectory(path) : null
    },
    open(name: string): Promise<ImageRoot> {
      const source = sources[name] ?? "host"
      const key = `${source}:${versionOf(source)}`
      const opened = opening.get(key) ?? openSource(name, source)
      opening.set(key, opened)
      // It may be mended by the next time.
      opened.catch(() => opening.delete(key))
      return opened
    },
  }
}

/** A directory that is not an image layout is a root file system itself, and used as it is. */
function isRootDirectory(path: string): boolean {
  return statSync(path).isDirectory() && !isOciLayout(path)
}

function openDirectory(path: string): ImageRoot {
  const closed = process.getuid?.() === 0 ? closedParent(path) : null
  if (closed === null) return { kind: "tree", path, searchPath: null }
  throw new Error(
    `Sandboxes run as users of their own, and those can't walk through ${closed}: chmod o+x ${closed}`,
  )
}

async function openUnpacked(source: string, options: ImageStoreOptions): Promise<ImageRoot> {
  const unpackedPath = unpackedPathOf(source, options)
  if (!existsSync(unpackedPath)) {
    const { unpackImage } = await import("./unpack-image.ts")
    await options.withUnpackSandbox(async (workplace) => {
      const unpacked = await unpackImage(source, workplace)
      // Else what was read of one file would be taken for another.
      if (unpackedPathOf(source, options) !== unpackedPath)
        throw new Error("It was changed while it was read.")
      await moveInto(unpackedPath, unpacked, join(workplace.home, ".."))
    })
  }
  return readImagePath(unpackedPath)
}

function unpackedPathOf(source: string, { directory }: ImageStoreOptions): string {
  const key = sha256(`${source}:${versionOf(source)}`)
  return join(directory, key.slice(0, 32))
}

function readImagePath(unpackedPath: string): ImageRoot {
  touch(unpackedPath)
  const searchPath = readFileSync(join(unpackedPath, "path"), "utf8")
  return { kind: "tree", path: join(unpackedPath, "root"), searchPath: searchPath || null }
}

/** Whole or not at all; a second caller uses what the first has brought. */
async function moveInto(unpackedPath: string, unpacked: Unpacked, beside: string): Promise<void> {
  const parts = join(beside, "image")
  mkdirSync(parts, { mode: 0o755 })
  writeFileSync(join(parts, "path"), unpacked.searchPath ?? "", { mode: 0o644 })
  await rename(unpacked.path, join(parts, "root"))
  makeWalkable(join(unpackedPath, ".."))
  await rename(parts, unpackedPath).catch((error: unknown) => {
    if (!existsSync(unpackedPath)) throw error
  })
}

/** Another file of the same name is another image. */
function versionOf(source: string): string {
  const index = join(source, "index.json")
  const file = existsSync(index) ? index : source
  const { size = 0, mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
  return `${size}:${mtimeMs}`
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "There is no such file.",
  EACCES: "It may not be read.",
}

function badImage(name: string, path: string, cause: unknown): ToolFailure {
  const reason = reasons[errorCode(cause) ?? ""] ?? errorText(cause)
  const message = `The image ${JSON.stringify(name)} can't be created from ${JSON.stringify(path)}: ${reason}`
  return permanentFailure(message, { cause })
}
