import { statSync } from "node:fs"
import { basename, join } from "node:path"
import type { SandboxUse, StoredThing } from "../../host/host.ts"
import { sandboxLimits } from "../../limits.ts"
import {
  blockBytes,
  bytesOf,
  type DiskUse,
  measureHome,
  type SharedUse,
} from "../disk/measure-home.ts"
import { isTree, keptDirectory, layerPath, layersOf } from "./home-stack.ts"
import { readRecord, recordNames, recordPath, sourceOf, temporaryName } from "./snapshot-records.ts"

/** Measures each layer once, for nobody writes it any more. */
export interface StoredSizes {
  /** All that is below the sandbox's own directory, and all that snapshots of it hold. */
  ofSandbox(own: string): Promise<SharedUse>
  ofSnapshot(id: string): Promise<SharedUse>
}

const none: DiskUse = { bytes: 0, files: 0 }

/** A directory and two small files. */
const recordBytes = 3 * 4096
const recordFiles = 4

export function createStoredSizes(shared: string): StoredSizes {
  const measured = new Map<string, Promise<DiskUse>>()
  const sources = new Map<string, string>()

  const sizeOf = (layer: string): Promise<DiskUse> => {
    const known = measured.get(layer)
    if (known) return known
    const measuring = measureHome(layerPath(shared, layer), sandboxLimits.files)
    measured.set(layer, measuring)
    // One that is gone takes nothing; one that could not be looked at is looked at the next time.
    measuring.catch(() => measured.delete(layer))
    return measuring.catch(() => ({ bytes: 0, files: 0 }))
  }

  const sourceOfRecord = (id: string) => {
    const source = sources.get(id) ?? sourceOf(shared, id)
    sources.set(id, source)
    return source
  }

  /** A record never changes. */
  const held = new Map<string, readonly string[]>()
  const layersIn = (id: string) => {
    const layers = held.get(id) ?? heldBy(shared, id)
    if (layers.length > 0) held.set(id, layers)
    return layers
  }

  const recordsOf = (source: string) =>
    recordNames(shared).filter((id) => sourceOfRecord(id) === source)

  /** Trees share files with each other and with the layers of their sandbox: what they take beside those. */
  const trees = new Map<string, { readonly key: string; readonly size: Promise<DiskUse> }>()
  async function treesOf(source: string): Promise<DiskUse | null> {
    const below = layersOf(join(shared, source)).filter(isTree)
    const all = new Set(recordsOf(source).flatMap(layersIn))
    const names = [...all].filter((layer) => isTree(layer) && !below.includes(layer))
    if (source === "" || names.length === 0) return null
    const key = [...below, "", ...names].join()
    const known = trees.get(source)
    if (known?.key === key) return known.size
    const paths = (layers: readonly string[]) => layers.map((layer) => layerPath(shared, layer))
    const measure = (layers: readonly string[]) =>
      measureHome(paths(layers), Number.POSITIVE_INFINITY, { skipsDirectories: true })
    const size = (async () => {
      const together = await measure([...below, ...names])
      const others = below.length > 0 ? await measure(below) : none
      return { bytes: together.bytes - others.bytes, files: together.files - others.files }
    })().catch(() => none)
    trees.set(source, { key, size })
    return size
  }

  async function parts(layers: readonly string[], ids: readonly string[]): Promise<SharedUse> {
    const found = new Map<string, DiskUse>()
    const plain = ids.flatMap(layersIn).filter((layer) => !isTree(layer))
    for (const layer of new Set([...layers, ...plain])) found.set(layer, await sizeOf(layer))
    for (const id of ids) {
      found.set(id, recordUse(shared, id))
      const source = sourceOfRecord(id)
      const part = `trees of ${source}`
      const use = found.has(part) ? null : await treesOf(source)
      if (use) found.set(part, use)
    }
    return found
  }

  return {
    ofSandbox: (own) => parts(layersOf(own), recordsOf(basename(own))),
    ofSnapshot: (id) => parts([], [id]),
  }
}

/** Somebody may remove it meanwhile. */
function heldBy(shared: string, id: string): readonly string[] {
  try {
    return readRecord(shared, id)
  } catch {
    return []
  }
}

function recordUse(shared: string, id: string): DiskUse {
  const temporary = join(recordPath(shared, id), temporaryName)
  const { blocks = 0 } = statSync(temporary, { throwIfNoEntry: false }) ?? {}
  return { bytes: recordBytes + blocks * blockBytes, files: recordFiles }
}

/** The disk use of what nobody has opened: a persisted sandbox, or a snapshot. */
export async function storedUse(
  shared: string,
  sizes: StoredSizes,
  stored: StoredThing,
): Promise<SandboxUse> {
  if (stored.kind === "snapshot")
    return { own: 0, parts: bytesOf(await sizes.ofSnapshot(stored.id)) }
  const own = join(shared, keptDirectory(stored.keptAs))
  // One that was never used has no files.
  const { bytes } = await measureHome(own, sandboxLimits.files).catch(() => ({ bytes: 0 }))
  return { own: bytes, parts: bytesOf(await sizes.ofSandbox(own)) }
}
