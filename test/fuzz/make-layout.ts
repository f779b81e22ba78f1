import { createHash } from "node:crypto"
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gzipSync, zstdCompressSync } from "node:zlib"
import { makeArchive } from "./make-archive.ts"
import { mutateInput } from "./mutate-input.ts"
import type { Random } from "./random.ts"

type Content = string | Uint8Array

/** What a layout's parts are swapped for. */
export interface Swaps {
  /** A file that is no part of it. */
  readonly outside: string
  /** A pipe that nobody writes. */
  readonly pipe: string
}

/** Writes an image in layers in which something is odd here and there. */
export function makeLayout(random: Random, directory: string, swaps: Swaps): void {
  const rate = random.pick([0, 0.03, 0.15, 0.5])
  const odd = () => random.chance(rate)
  const json = (value: unknown) => textOf(odd() ? mutateInput(value, random) : value)
  const layers = Array.from({ length: 1 + random.below(3) }, () => {
    const archive = makeArchive(random, swaps.outside)
    return random.pick([(bytes: Buffer) => bytes, gzipSync, zstdCompressSync])(archive)
  })
  const files = random.chance(0.6) ? ociFiles(layers, json, odd) : savedFiles(layers, json)
  for (const [path, content] of files) put(join(directory, path), content, { random, odd, swaps })
}

/** Also of what JSON has no form for. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return String(value)
  }
}

function ociFiles(
  layers: readonly Content[],
  json: (value: unknown) => string,
  odd: () => boolean,
): readonly (readonly [string, Content])[] {
  const blobs: [string, Content][] = []
  const part = (content: Content) => {
    const digest = createHash("sha256")
      .update(odd() ? "other" : content)
      .digest("hex")
    blobs.push([`blobs/sha256/${digest}`, content])
    return { mediaType: "x", digest: `sha256:${digest}`, size: content.length }
  }
  const config = part(json({ config: { Env: ["PATH=/bin:/usr/bin", "A=b"] } }))
  const manifest = part(json({ schemaVersion: 2, config, layers: layers.map(part) }))
  const index = json({ schemaVersion: 2, manifests: [manifest] })
  return [["oci-layout", "{}"], ["index.json", index], ...blobs]
}

function savedFiles(
  layers: readonly Content[],
  json: (value: unknown) => string,
): readonly (readonly [string, Content])[] {
  const names = layers.map((_, index) => `${index}/layer.tar`)
  return [
    ["manifest.json", json([{ Config: "config.json", RepoTags: ["a:b"], Layers: names }])],
    ["config.json", json({ config: { Env: ["PATH=/bin"] } })],
    ...layers.map((layer, index) => [`${index}/layer.tar`, layer] as const),
  ]
}

interface Putting {
  readonly random: Random
  readonly odd: () => boolean
  readonly swaps: Swaps
}

function put(at: string, content: Content, { random, odd, swaps }: Putting): void {
  mkdirSync(dirname(at), { recursive: true })
  // Two parts with one content are one file.
  rmSync(at, { recursive: true, force: true })
  if (!odd()) {
    writeFileSync(at, content)
    return
  }
  random.pick<() => void>([
    () => {},
    () => mkdirSync(at),
    () => symlinkSync(swaps.outside, at),
    () => symlinkSync(at, at),
    () => symlinkSync(`${"../".repeat(30)}${swaps.outside.slice(1)}`, at),
    () => symlinkSync("/proc/self/fd/0", at),
    () => symlinkSync("/dev/zero", at),
    () => symlinkSync(swaps.pipe, at),
    () => linkSync(swaps.pipe, at),
    () => writeFileSync(at, content.slice(0, random.below(content.length + 1))),
    () => writeFileSync(at, ""),
  ])()
}
