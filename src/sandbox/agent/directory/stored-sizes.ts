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
import { keptDirectory, layerPath, layersOf } from "./home-stack.ts"
import { readRecord, recordNames, recordPath, sourceOf, temporaryName } from "./snapshot-records.ts"

/** Measures each layer once, for nobody writes it any more. */
export interface StoredSizes {
  /** All that is below the sandbox's own directory, and all that snapshots of it hold. */
  ofSandbox(own: string): Promise<SharedUse>
  ofSnapshot(id: string): Promise<SharedUse>
}

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

  const isOf = (own: string) => (id: string) => {
    const source = sources.get(id) ?? sourceOf(shared, id)
    sources.set(id, source)
    return source === own
  }

  async function parts(layers: readonly string[], ids: readonly string[]): Promise<SharedUse> {
    const found = new Map<string, DiskUse>()
    const all = new Set([...layers, ...ids.flatMap((id) => heldBy(shared, id))])
    for (const layer of all) found.set(layer, await sizeOf(layer))
    for (const id of ids) found.set(id, recordUse(shared, id))
    return found
  }

  return {
    ofSandbox: (own) => parts(layersOf(own), recordNames(shared).filter(isOf(basename(own)))),
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
