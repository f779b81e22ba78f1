import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { systemClock } from "../../../kit/index.ts"
import { diskLimits } from "../../limits.ts"
import { measureHome } from "./measure-home.ts"
import { type DiskLimits, type DiskWatch, watchDisk } from "./watch-disk.ts"

let home = ""
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "toolkeep-home-"))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
})

/** A watch, and what it has said. */
function open(other: Partial<DiskLimits>): { watch: DiskWatch; said: string[] } {
  const said: string[] = []
  const watch = watchDisk({
    home,
    isEmpty: false,
    limits: { bytes: 2 ** 30, files: 1_000_000, freeBytes: 0, ...other },
    clock: systemClock,
    onFull: async ({ message }) => {
      said.push(message)
    },
  })
  onTestFinished(() => watch.stop())
  return { watch, said }
}

describe("a watch on the disk", () => {
  it("O30: counts files as well as bytes, and forgets it when they are gone", async () => {
    const { watch, said } = open({ files: 20 })
    await mkdir(join(home, "many"))
    for (let count = 0; count < 40; count += 1) await writeFile(join(home, `many/${count}`), "")
    watch.begin()
    await expect.poll(() => said).toHaveLength(1)
    expect(said[0]).toContain("The sandbox has more than 20 files.")
    expect(await watch.problem()).not.toBe(null)
    await rm(join(home, "many"), { recursive: true })
    expect(await watch.problem()).toBe(null)
    expect(watch.isFull).toBe(false)
  })

  it("looks at nothing for a command that is over at once", async () => {
    const { watch } = open({ bytes: 1 })
    watch.begin()
    watch.end()
    expect(watch.isFull).toBe(false)
    expect(await watch.problem()).toBe(null)
  })

  it("measures what files take: a hole nothing, several names of one file once", async () => {
    const empty = await measureHome(home, 1_000)
    expect(empty.files).toBe(1)
    const { link, truncate } = await import("node:fs/promises")
    await writeFile(join(home, "file"), "x".repeat(1_000_000))
    await link(join(home, "file"), join(home, "again"))
    await writeFile(join(home, "hole"), "")
    await truncate(join(home, "hole"), 1_000_000_000)
    const { bytes, files } = await measureHome(home, 1_000)
    expect(files).toBe(3)
    expect(bytes - empty.bytes).toBeGreaterThanOrEqual(1_000_000)
    expect(bytes - empty.bytes).toBeLessThan(1_200_000)
  })

  it("O30: measures again only what may have changed: nothing of a sandbox where nothing runs", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    onTestFinished(() => void vi.useRealTimers())
    let free = 1_000_000_000
    let isQuiet = true
    const counted = { looks: 0, homes: 0 }
    const watch = watchDisk({
      home: {
        free: async () => {
          counted.looks += 1
          free += 4_096
          return { bavail: free, blocks: 2 ** 40, bsize: 1, ffree: 1_000_000 }
        },
        home: async () => {
          counted.homes += 1
          return { bytes: 4_096, files: 1, isUnsure: false }
        },
      },
      isEmpty: false,
      limits: { bytes: 2 ** 30, files: 1_000_000, freeBytes: 0 },
      clock: { ...systemClock, after: (_ms, run) => systemClock.after(1, run) },
      isQuiet: async () => isQuiet,
      onFull: async () => {},
    })
    onTestFinished(() => watch.stop())
    watch.begin()
    watch.end()
    await expect.poll(() => counted.homes).toBe(1)
    vi.advanceTimersByTime(2 * diskLimits.idleMeasureMs)
    const { looks } = counted
    await expect.poll(() => counted.looks).toBeGreaterThan(looks + 3)
    expect(counted.homes).toBe(1)
    isQuiet = false
    await expect.poll(() => counted.homes).toBeGreaterThan(1)
  })
})
