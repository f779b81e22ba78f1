import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Workspace } from "../../src/contract/index.ts"
import { WorkspaceError } from "../../src/sandbox/host/workspace-error.ts"
import { createWorkspace, type Host, localHost, memoryHost } from "../../src/sandbox/index.ts"
import { readArchive } from "../../src/sandbox/trees/read-archive.ts"
import { openMcpFixture, setUpMs } from "../attacks/attack-ground.ts"
import { makeArchive } from "./make-archive.ts"
import { createRandom } from "./random.ts"

/** More than any archive of a few kilobytes can take on a machine that is busy with many other things. */
const patienceMs = 300_000

let top: string
let outside: string
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "toolkeep-fuzz-archives-"))
  outside = join(top, "outside", "canary")
  mkdirSync(join(top, "outside"))
  writeFileSync(outside, "untouched")
})
afterAll(() => rmSync(top, { recursive: true, force: true }))

/** In two pieces, as if it came over a wire. */
function streamOf(bytes: Uint8Array, cut: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.slice(0, cut))
      controller.enqueue(bytes.slice(cut))
      controller.close()
    },
  })
}

interface Tally {
  taken: number
  refused: number
}

/** Each archive is taken or refused in the workspace's own words, and nothing but its target is there after it. */
async function importAll(workspace: Workspace, cases: number, seed: number): Promise<Tally> {
  const random = createRandom(seed)
  const tally = { taken: 0, refused: 0 }
  await workspace.writeFile("beside", "beside")
  for (let count = 0; count < cases; count += 1) {
    const archive = makeArchive(random, outside)
    const signal = AbortSignal.timeout(patienceMs)
    const input = streamOf(archive, random.below(archive.length + 1))
    const failure = await workspace.importTree("target", input, { signal }).then(
      () => null,
      (error: unknown) => error,
    )
    if (failure === null) tally.taken += 1
    else tally.refused += 1
    if (failure !== null && !(failure instanceof WorkspaceError)) {
      throw new Error(`Case ${count} of seed ${seed}: ${String(failure)}`, { cause: failure })
    }
    if (count % 10 === 9 || count === cases - 1) {
      const left = (await workspace.readdir(".")).map(({ name }) => name)
      expect(left.filter((name) => name !== "target")).toEqual(["beside"])
      await workspace.exec("chmod -R u+rwx target; rm -rf target")
    }
  }
  expect(await workspace.readFile("beside")).toBe("beside")
  expect(readdirSync(join(top, "outside"))).toEqual(["canary"])
  expect(readFileSync(outside, "utf8")).toBe("untouched")
  return tally
}

async function onHost(host: Host, cases: number, seed: number): Promise<Tally> {
  const sandbox = await host.create({ name: "fuzz" })
  try {
    return await importAll(createWorkspace(sandbox), cases, seed)
  } finally {
    await sandbox.destroy()
  }
}

describe("archives that are nearly right", () => {
  it("C9, O30: 3,000 of them are read or refused, and no name leads out", async () => {
    const random = createRandom(20260201)
    const tally = { taken: 0, refused: 0 }
    for (let count = 0; count < 3_000; count += 1) {
      const archive = makeArchive(random, outside)
      const signal = AbortSignal.timeout(patienceMs)
      try {
        const input = streamOf(archive, random.below(archive.length + 1))
        for await (const entry of readArchive(input, "/target", signal)) {
          const parts = entry.name.split("/")
          expect(entry.name).not.toMatch(/^\/|\0/)
          expect(parts.includes("..")).toBe(false)
          if (entry.kind === "file") for await (const _ of entry.body);
        }
        tally.taken += 1
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw new Error(`Case ${count}`, { cause: error })
        tally.refused += 1
      }
    }
    // Neither all right nor all wrong: that would prove nothing.
    expect(tally.taken).toBeGreaterThan(500)
    expect(tally.refused).toBeGreaterThan(500)
  }, 600_000)

  it("C9, O30: 1,000 of them are imported or refused by the memory host", async () => {
    expect((await onHost(memoryHost(), 1_000, 20260202)).taken).toBeGreaterThan(100)
  }, 600_000)

  it("C9, O30: 250 of them are imported or refused by the local host, and write nothing beside", async () => {
    const host = localHost({ directoryFor: () => join(top, "work") })
    expect((await onHost(host, 250, 20260203)).taken).toBeGreaterThan(50)
  }, 600_000)

  it(
    "C9, C18: 60 of them are imported or refused in a bubblewrap sandbox",
    async () => {
      await using ground = await openMcpFixture()
      expect((await importAll(ground.workspace, 60, 20260204)).taken).toBeGreaterThan(10)
    },
    2 * setUpMs,
  )
})
