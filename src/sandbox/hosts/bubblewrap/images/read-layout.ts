import { createHash } from "node:crypto"
import { closeSync, readSync } from "node:fs"
import { isObject } from "../../../../contract/index.ts"
import { sandboxImageLimits } from "../../../limits.ts"
import { type HeldPath, lookInside, openFileInside } from "../../../paths/walk-inside.ts"
import { isOciLayout } from "./image-root.ts"
import type { ArchiveFile } from "./open-archive.ts"

const { manifestBytes, layers: mostLayers, searchPathBytes } = sandboxImageLimits

/** An image in layers, as `docker save` and the OCI image layout write them. */
export interface ImageLayout {
  /** The lowest first. */
  readonly layers: readonly ImagePart[]
  readonly searchPath: string | null
}

/** A file of a layout. */
export interface ImagePart {
  readonly path: string
  /** What its content has to hash to; null where the layout does not say. */
  readonly digest: string | null
}

/**
 * Null for a directory that is not such a layout. Throws an Error of one sentence for a broken one. The author
 * of the files may have put links and pipes among them: links lead nowhere but to other files of the
 * layout, and only regular files are read.
 */
export function readLayout(directory: string): ImageLayout | null {
  if (isOciLayout(directory)) return readOci(directory)
  return isFile(directory, "manifest.json") ? readSaved(directory) : null
}

/** Opens a part; the caller closes it. */
export function openPart(directory: string, { path, digest }: ImagePart): ArchiveFile {
  const file = openFileInside(directory, path)
  if (file) return { ...file, name: path, digest }
  throw new Error(`It has no regular file ${quoted(path)}, which it needs.`)
}

function isFile(directory: string, path: string): boolean {
  return lookInside(directory, path)?.isFile() ?? false
}

function readOci(directory: string): ImageLayout {
  const manifest = findManifest(directory, readJson(directory, plain("index.json")))
  const layers = listOf(manifest, "layers").map((layer) => blobOf(layer))
  return describe(directory, layers, blobOf(field(manifest, "config")))
}

/** Older archives have no index. A root file system may have a file of this name that is not a manifest. */
function readSaved(directory: string): ImageLayout | null {
  const images = readManifest(directory)
  const [image] = Array.isArray(images) ? images : []
  const layers = field(image, "Layers")
  if (!Array.isArray(images) || !Array.isArray(layers)) return null
  if (images.length > 1) throw new Error(`It holds ${images.length} images, and has to hold one.`)
  const parts = layers.map((layer) => plain(String(layer)))
  return describe(directory, parts, plain(String(field(image, "Config"))))
}

function readManifest(directory: string): unknown {
  try {
    return readJson(directory, plain("manifest.json"))
  } catch {
    return null
  }
}

const platform = { x64: "amd64", arm64: "arm64" }[process.arch as "x64" | "arm64"]

/** An index can lead to further ones: one image for several processors. */
function findManifest(directory: string, index: unknown, depth = 0): unknown {
  if (isObject(index) && Array.isArray(index.layers)) return index
  const choices = listOf(index, "manifests").filter(isForThisMachine)
  if (choices.length !== 1 || depth > 3) {
    throw new Error(`It holds ${choices.length} images for this machine, and has to hold one.`)
  }
  return findManifest(directory, readJson(directory, blobOf(choices[0])), depth + 1)
}

function isForThisMachine(descriptor: unknown): boolean {
  const wanted = isObject(descriptor) ? descriptor.platform : undefined
  if (!isObject(wanted)) return true
  return wanted.os === "linux" && wanted.architecture === platform
}

function describe(directory: string, layers: readonly ImagePart[], config: ImagePart): ImageLayout {
  if (layers.length === 0) throw new Error("It holds an image without layers.")
  if (layers.length > mostLayers) {
    throw new Error(`It has ${layers.length} layers; at most ${mostLayers} are applied.`)
  }
  for (const layer of layers) closeSync(openPart(directory, layer).fd)
  const settings = field(readJson(directory, config), "config")
  const environment = isObject(settings) && Array.isArray(settings.Env) ? settings.Env : []
  const path = environment.map(String).find((line) => line.startsWith("PATH="))
  return { layers, searchPath: path === undefined ? null : searchPathOf(path) }
}

/** It becomes a word of a command line. */
function searchPathOf(line: string): string {
  const path = line.slice("PATH=".length)
  const isPlain = !/[\u0000-\u001f]/.test(path) && Buffer.byteLength(path) <= searchPathBytes
  if (isPlain) return path
  throw new Error(`Its PATH has a control character, or more than ${searchPathBytes} bytes.`)
}

const digestForm = /^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/

function blobOf(descriptor: unknown): ImagePart {
  const digest = String(field(descriptor, "digest"))
  if (!digestForm.test(digest))
    throw new Error("It has a manifest that names a part without a digest.")
  return { path: `blobs/${digest.replace(":", "/")}`, digest }
}

function plain(path: string): ImagePart {
  return { path, digest: null }
}

function readJson(directory: string, part: ImagePart): unknown {
  const file = openPart(directory, part)
  try {
    const bytes = readBounded(file)
    requireDigest(part, bytes)
    return JSON.parse(bytes.toString("utf8"))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new Error(`Its ${quoted(part.path)} is not readable JSON.`)
  } finally {
    closeSync(file.fd)
  }
}

/** A file that grows meanwhile is not JSON either. */
function readBounded({ fd, stats }: HeldPath): Buffer {
  const bytes = Buffer.allocUnsafe(Math.min(Number(stats.size), manifestBytes) + 1)
  for (let filled = 0; filled < bytes.length; ) {
    const count = readSync(fd, bytes, filled, bytes.length - filled, null)
    if (count === 0) return bytes.subarray(0, filled)
    filled += count
  }
  throw new SyntaxError("too long")
}

function requireDigest({ digest }: ImagePart, bytes: Buffer): void {
  const [algorithm = "", wanted] = digest?.split(":") ?? []
  if (wanted === undefined || createHash(algorithm).update(bytes).digest("hex") === wanted) return
  throw new Error(`Its ${digest} is damaged.`)
}

function quoted(path: string): string {
  return JSON.stringify(path.slice(0, 200))
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = field(value, name)
  if (Array.isArray(list)) return list
  throw new Error(`It has no list of ${name} where there has to be one.`)
}
