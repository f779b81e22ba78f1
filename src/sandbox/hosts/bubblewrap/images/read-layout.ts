import { existsSync } from "node:fs"
import { readFile, realpath } from "node:fs/promises"
import { join, sep } from "node:path"
import { isObject } from "../../../../contract/index.ts"

/** An image in layers, as `docker save` and the OCI image layout write them. */
export interface ImageLayout {
  /** Tar files, the lowest first. */
  readonly layers: readonly string[]
  readonly searchPath: string | null
}

/** Null for a directory that is no such layout. Throws an Error of one sentence for a broken one. */
export async function readLayout(directory: string): Promise<ImageLayout | null> {
  if (existsSync(join(directory, "oci-layout"))) return readOci(directory)
  if (existsSync(join(directory, "manifest.json"))) return readSaved(directory)
  return null
}

async function readOci(directory: string): Promise<ImageLayout> {
  const manifest = await findManifest(directory, await readJson(directory, "index.json"))
  const layers = listOf(manifest, "layers").map((layer) => blobOf(layer))
  return describe(directory, layers, blobOf(field(manifest, "config")))
}

/** Older archives have no index. A root file system may have a file of this name that is no manifest. */
async function readSaved(directory: string): Promise<ImageLayout | null> {
  const images = await readJson(directory, "manifest.json").catch(() => null)
  const [image] = Array.isArray(images) ? images : []
  const layers = field(image, "Layers")
  if (!Array.isArray(images) || !Array.isArray(layers)) return null
  if (images.length > 1) throw new Error(`It holds ${images.length} images, and has to hold one.`)
  return describe(directory, layers.map(String), String(field(image, "Config")))
}

const platform = { x64: "amd64", arm64: "arm64" }[process.arch as "x64" | "arm64"]

/** An index can lead to further ones: one image for several processors. */
async function findManifest(directory: string, index: unknown, depth = 0): Promise<unknown> {
  if (isObject(index) && Array.isArray(index.layers)) return index
  const choices = listOf(index, "manifests").filter(isForThisMachine)
  if (choices.length !== 1 || depth > 3) {
    throw new Error(`It holds ${choices.length} images for this machine, and has to hold one.`)
  }
  return findManifest(directory, await readJson(directory, blobOf(choices[0])), depth + 1)
}

function isForThisMachine(descriptor: unknown): boolean {
  const wanted = isObject(descriptor) ? descriptor.platform : undefined
  if (!isObject(wanted)) return true
  return wanted.os === "linux" && wanted.architecture === platform
}

async function describe(
  directory: string,
  layers: readonly string[],
  config: string,
): Promise<ImageLayout> {
  const files = await Promise.all(layers.map((path) => fileInside(directory, path)))
  if (files.length === 0) throw new Error("It holds an image without layers.")
  const settings = field(await readJson(directory, config), "config")
  const environment = isObject(settings) && Array.isArray(settings.Env) ? settings.Env : []
  const path = environment.map(String).find((line) => line.startsWith("PATH="))
  return { layers: files, searchPath: path?.slice("PATH=".length) ?? null }
}

const digest = /^(sha256|sha512):[0-9a-f]{64,128}$/

function blobOf(descriptor: unknown): string {
  const name = String(field(descriptor, "digest"))
  if (!digest.test(name)) throw new Error("It has a manifest that names a part without a digest.")
  return `blobs/${name.replace(":", "/")}`
}

/** Links lead from one layer to another in some archives, and out of them in none. */
async function fileInside(directory: string, path: string): Promise<string> {
  const [top, real] = await Promise.all([
    realpath(directory),
    realpath(join(directory, path)).catch(() => ""),
  ])
  if (real.startsWith(top + sep)) return real
  throw new Error(`It has a manifest that names ${JSON.stringify(path)}, which is not in it.`)
}

/** A manifest is a list of layers; nothing that is larger is one. */
const mostBytes = 8 * 1024 ** 2

async function readJson(directory: string, path: string): Promise<unknown> {
  const text = await readFile(await fileInside(directory, path), "utf8")
  try {
    if (text.length < mostBytes) return JSON.parse(text)
  } catch {}
  throw new Error(`Its ${JSON.stringify(path)} is not readable JSON.`)
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = field(value, name)
  if (Array.isArray(list)) return list
  throw new Error(`It has no list of ${name} where there has to be one.`)
}
