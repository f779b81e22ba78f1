import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { describe, expect, it, onTestFinished } from "vitest"
import { fingerprintOf, packDirectory, packNames } from "./pack-directory.ts"

const size = 4_000_000

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-pack-"))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

function programs() {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, "node-1"))
  writeFileSync(join(directory, "node-1", "node"), Buffer.alloc(size, 7))
  return { directory, program: join(directory, "node-1", "node") }
}

/** Does something when tar has begun to read the program, and can't have come to its end. */
function during(change: () => void) {
  return async (packed: Readable) => {
    packed.pause()
    await new Promise((resolve) => packed.once("readable", resolve))
    change()
    return buffer(packed)
  }
}

describe("a directory of programs", () => {
  it("R12: is packed whole while another Toolkeep gives its files further names", async () => {
    const { directory, program } = programs()
    let bytes = 0
    const read = during(() => linkSync(program, join(directory, "another.new_1")))
    await packNames(directory, ["node-1"], async (packed) => {
      bytes = (await read(packed)).length
    })
    expect(bytes).toBeGreaterThan(size)
  })

  it("R12: is refused when a file of it changes while it is packed", async () => {
    const { directory, program } = programs()
    const packing = packNames(
      directory,
      ["node-1"],
      during(() => appendFileSync(program, "more")),
    )
    await expect(packing).rejects.toThrow(/could not be packed: .*file changed/)
  })

  it("R12: is packed once, however often it is used, and again when a program in it differs", async () => {
    const { directory, program } = programs()
    const parent = temporaryDirectory()
    const first = await packDirectory(directory, parent)
    utimesSync(join(directory, "node-1"), new Date(), new Date(Date.now() + 60_000))
    expect(await packDirectory(directory, parent)).toEqual(first)
    const before = fingerprintOf(directory)
    appendFileSync(program, "more")
    expect(fingerprintOf(directory)).not.toBe(before)
    expect((await packDirectory(directory, parent)).path).not.toBe(first.path)
    expect(readdirSync(parent)).toHaveLength(2)
  })
})
