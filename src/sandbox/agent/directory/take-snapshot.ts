import { readdirSync, renameSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { createId } from "../../../kit/index.ts"
import { makeDirectories } from "../../../node/index.ts"
import { type HomeStack, layerPath, makeDirectory, openStack, writeStack } from "./home-stack.ts"
import type { RemoveTree } from "./remove-unused-layers.ts"
import { type HeldFiles, writeRecord } from "./snapshot-records.ts"

/** How a host puts directories on each other. */
export interface Layering {
  /** How many layers this host can put on each other. */
  readonly mostLayers: number
  /** Copies a home, as it looks from inside, to a directory that is not there yet. */
  readonly merge: (stack: HomeStack, target: string) => Promise<void>
}

export type SnapshotDeps = Layering & { readonly remove: RemoveTree }

/** Two directories of this machine: the sandbox's own, and where all sandboxes are. */
export interface SnapshotPaths {
  readonly own: string
  readonly shared: string
}

/**
 * Holds the files of a sandbox that sleeps. Nothing is copied: what it wrote becomes a layer that
 * nobody writes any more, and the sandbox goes on in an empty directory above it.
 */
export async function takeSnapshot(
  paths: SnapshotPaths,
  deps: SnapshotDeps,
  temporary: HeldFiles["temporary"] = "shared",
): Promise<string> {
  const { own, shared } = paths
  let stack = openStack(shared, own)
  if (!hasChanged(stack)) return writeRecord(shared, own, { layers: stack.layers, temporary })
  if (stack.layers.length >= deps.mostLayers) stack = await merged(paths, stack, deps)
  return writeRecord(shared, own, { layers: pushLayer(paths, stack), temporary })
}

function hasChanged({ writable, layers: [top] }: HomeStack): boolean {
  if (top === undefined || readdirSync(writable).length > 0) return true
  return statSync(writable).mode !== statSync(top).mode
}

/** In an order in which being killed loses nothing: see `openStack`. */
function pushLayer({ own, shared }: SnapshotPaths, stack: HomeStack): readonly string[] {
  const { writable } = stack
  const layer = layerPath(shared, createId("layer").replace("layer_", ""))
  const layers = [layer, ...stack.layers]
  makeDirectories(dirname(layer), 0o700)
  const ownership = statSync(writable)
  writeStack(own, { writable, layers })
  renameSync(writable, layer)
  makeDirectory(writable, ownership)
  return layers
}

/** Copies what a sleeping sandbox still shows of its layers, so that those can go. */
export async function leaveLayers(paths: SnapshotPaths, deps: SnapshotDeps): Promise<void> {
  await merged(paths, openStack(paths.shared, paths.own), deps)
}

/** One directory instead of many; the old ones count until the new one is whole. */
async function merged(
  { own }: SnapshotPaths,
  stack: HomeStack,
  { merge, remove }: SnapshotDeps,
): Promise<HomeStack> {
  const writable = join(own, createId("home"))
  await merge(stack, writable)
  const single = { writable, layers: [] }
  writeStack(own, single)
  await remove(stack.writable)
  return single
}
