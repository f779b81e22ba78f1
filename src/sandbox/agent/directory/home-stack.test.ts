import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { layerPath, openStack, writeStack } from "./home-stack.ts"
import { removeTree } from "./remove-tree.ts"
import { removeUnusedLayers } from "./remove-unused-layers.ts"
import { readRecord, removeRecord } from "./snapshot-records.ts"
import { takeSnapshot } from "./take-snapshot.ts"

let shared: string
let own: string
let writable: string
beforeEach(() => {
  shared = mkdtempSync(join(tmpdir(), "toolkeep-stack-"))
  own = join(shared, "sandbox")
  writable = join(own, "home")
  mkdirSync(writable, { recursive: true, mode: 0o700 })
  writeFileSync(join(writable, "file"), "precious")
})
afterEach(() => rmSync(shared, { recursive: true }))

const means = {
  mostLayers: 2,
  remove: removeTree,
  merge: async () => {
    throw new Error("killed while it copies")
  },
}

it("C8: killed after a layer was named and before it was made, the files are where they were", () => {
  writeStack(own, { writable, layers: [layerPath(shared, "next")] })
  expect(openStack(shared, own)).toEqual({ writable, layers: [] })
  expect(existsSync(join(writable, "file"))).toBe(true)
  // It is repaired for good: a layer that gets that name is not taken for one of its own.
  mkdirSync(layerPath(shared, "next"), { recursive: true })
  expect(openStack(shared, own).layers).toEqual([])
})

it("C8: killed after a layer was made, an empty directory of the same user is put above it", () => {
  const layer = layerPath(shared, "next")
  mkdirSync(join(shared, "layers"))
  writeStack(own, { writable, layers: [layer] })
  renameSync(writable, layer)
  expect(openStack(shared, own)).toEqual({ writable, layers: [layer] })
  const [above, below] = [statSync(writable), statSync(layer)]
  expect([above.uid, above.gid, above.mode]).toEqual([below.uid, below.gid, below.mode])
})

it("C8: a copy of many layers that fails leaves them as they were", async () => {
  for (const name of ["a", "b", "c"]) {
    writeFileSync(join(writable, name), name)
    const taken = takeSnapshot({ own, shared }, means)
    if (name === "c") await expect(taken).rejects.toThrow("killed")
    else await taken
  }
  const stack = openStack(shared, own)
  expect(stack.layers).toHaveLength(2)
  expect(existsSync(join(stack.writable, "c"))).toBe(true)
})

it("C8: a layer goes when neither a sandbox nor a snapshot names it", async () => {
  const snapshot = await takeSnapshot({ own, shared }, means)
  const [layer = ""] = readRecord(shared, snapshot)
  const isThere = async () => {
    await removeUnusedLayers(shared, removeTree)
    return existsSync(layerPath(shared, layer))
  }
  expect(await isThere()).toBe(true)
  await removeTree(own)
  expect(await isThere()).toBe(true)
  removeRecord(shared, snapshot)
  expect(await isThere()).toBe(false)
})
