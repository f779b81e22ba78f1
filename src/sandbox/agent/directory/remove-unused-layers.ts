import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { layerPath, layersOf } from "./home-stack.ts"
import { abandonedRecords, readRecord, recordNames } from "./snapshot-records.ts"

export type RemoveTree = (directory: string) => Promise<void>

/**
 * Removes the layers that no sandbox and no snapshot holds. A process writes a layer down before it
 * uses it, and then looks whether the snapshot that the layer comes from is still there. So no layer is
 * removed that another process starts to use meanwhile.
 */
export async function removeUnusedLayers(shared: string, remove: RemoveTree): Promise<void> {
  for (const record of abandonedRecords(shared)) await remove(record)
  const layers = layerPath(shared, "")
  if (!existsSync(layers)) return
  // Looked for first: one that is made from now on is not among them.
  const there = readdirSync(layers)
  const used = usedLayers(shared)
  for (const layer of there) if (!used.has(layer)) await remove(layerPath(shared, layer))
}

/** `except` is the directory of a sandbox that would let go of its own. */
export function usedLayers(shared: string, except = ""): ReadonlySet<string> {
  const others = readdirSync(shared).filter((name) => name !== except)
  const ofSandboxes = others.flatMap((name) => layersOf(join(shared, name)))
  const ofSnapshots = recordNames(shared).flatMap((id) => held(shared, id))
  return new Set([...ofSandboxes, ...ofSnapshots])
}

/** Another process may remove it meanwhile. */
function held(shared: string, id: string): readonly string[] {
  try {
    return readRecord(shared, id)
  } catch (error) {
    if (recordNames(shared).includes(id)) throw error
    return []
  }
}

/** Called by many at once, it goes through the layers at most twice. */
export function createSweep(shared: string, remove: RemoveTree): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  return () => {
    // What begins later sees everything that the caller has released.
    next ??= running.then(() => {
      running = removeUnusedLayers(shared, remove)
      next = null
      return running
    })
    next.catch(() => {})
    return next
  }
}
