import { execFileSync } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ToolFailure } from "../../src/contract/index.ts"
import { openArchive } from "../../src/sandbox/hosts/bubblewrap/images/open-archive.ts"
import { openPart, readLayout } from "../../src/sandbox/hosts/bubblewrap/images/read-layout.ts"
import { bubblewrapHost } from "../../src/sandbox/index.ts"
import { makeLayout, type Swaps } from "./make-layout.ts"
import { createRandom } from "./random.ts"

const secret = JSON.stringify({ layers: [], config: { Env: ["PATH=/outside"] } })

let top: string
let swaps: Swaps
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "toolkeep-fuzz-layouts-"))
  chmodSync(top, 0o755)
  swaps = { outside: join(top, "outside", "canary"), pipe: join(top, "pipe") }
  mkdirSync(join(top, "outside"))
  writeFileSync(swaps.outside, secret)
  execFileSync("mkfifo", [swaps.pipe])
})
afterAll(() => rmSync(top, { recursive: true, force: true }))

/** Reads all that Toolkeep's own process reads of an image: what came of it. */
async function readAll(directory: string): Promise<"read" | "no layout" | "refused"> {
  try {
    const layout = readLayout(directory)
    if (layout === null) return "no layout"
    expect(layout.searchPath).not.toBe("/outside")
    for (const layer of layout.layers) {
      const archive = openArchive(openPart(directory, layer))
      const parts: Uint8Array[] = []
      try {
        for await (const part of archive.stream) parts.push(part)
      } catch {}
      await archive.whole
      expect(Buffer.concat(parts).includes(secret)).toBe(false)
    }
    return "read"
  } catch (error) {
    const isSentence = error instanceof Error && !(error instanceof TypeError)
    if (!isSentence || error.name === "AssertionError") throw error
    return "refused"
  }
}

describe("images in layers that are nearly right", () => {
  it("O30, F18: 2,000 of them are read or refused, none is waited for, and nothing else is read", async () => {
    const random = createRandom(20260205)
    const tally: Record<string, number> = {}
    for (let count = 0; count < 2_000; count += 1) {
      const directory = join(top, "layout")
      mkdirSync(directory)
      makeLayout(random, directory, swaps)
      const outcome = await readAll(directory).catch((error: unknown) => {
        throw new Error(`Case ${count}: ${String(error)}`, { cause: error })
      })
      tally[outcome] = (tally[outcome] ?? 0) + 1
      rmSync(directory, { recursive: true })
    }
    // Neither all right nor all wrong: that would prove nothing.
    for (const outcome of ["read", "no layout", "refused"]) {
      expect(tally[outcome]).toBeGreaterThan(50)
    }
  }, 600_000)

  it("O30, F18: 16 of them, in a directory and in an archive, are unpacked or refused in words, and nothing outside is changed", async () => {
    const random = createRandom(20260206)
    const images: Record<string, string> = {}
    for (let count = 0; count < 16; count += 1) {
      const directory = join(top, `image${count}`)
      mkdirSync(directory)
      makeLayout(random, directory, swaps)
      images[`image${count}`] = count % 2 ? packed(directory) : directory
    }
    const host = bubblewrapHost({ directory: join(top, "sandboxes"), images })
    for (const image of Object.keys(images)) {
      const failure = await host.create({ name: "fuzz", image }).then(
        (sandbox) => sandbox.destroy(),
        (error: unknown) => error,
      )
      // None of them has a shell, so none becomes a sandbox.
      expect([image, failure]).toEqual([image, expect.any(ToolFailure)])
    }
    const left = readdirSync(join(top, "sandboxes"))
    expect(left.filter((name) => name.startsWith("sandbox_"))).toEqual([])
    expect(readdirSync(join(top, "outside"))).toEqual(["canary"])
    expect(readFileSync(swaps.outside, "utf8")).toBe(secret)
  }, 240_000)
})

function packed(directory: string): string {
  execFileSync("tar", ["-C", directory, "-cf", `${directory}.tar`, "."])
  return `${directory}.tar`
}
