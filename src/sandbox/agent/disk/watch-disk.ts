import { statfs } from "node:fs/promises"
import { limits } from "../../../contract/index.ts"
import type { Clock } from "../../../kit/index.ts"
import { DiskFull } from "./disk-full.ts"
import { type DiskUse, measureHome } from "./measure-home.ts"

export interface DiskLimits extends DiskUse {
  /** What has to stay free of the whole disk; of a small one, a part. */
  readonly freeBytes: number
}

const smallPart = 50

export interface DiskWatchOptions {
  readonly home: string
  /** Nothing is in it yet, so nothing has to be measured. */
  readonly isEmpty: boolean
  readonly limits: DiskLimits
  readonly clock: Clock
  /** Ends whatever runs. */
  readonly onFull: (failure: DiskFull) => void
}

/** Looks after what one sandbox takes of the disk, for file systems know no limit for a directory. */
export interface DiskWatch {
  /** Something runs from now on, and what it leaves behind may go on after it. */
  begin(): void
  end(): void
  /** As far as is known. */
  readonly isFull: boolean
  /** Why nothing may be written; looked at anew when nothing might be. */
  problem(): Promise<DiskFull | null>
  /** While the sandbox sleeps nothing can change. */
  stop(): void
}

interface Measurement extends DiskUse {
  readonly free: Room
  /** Not by the time of day, which can jump. */
  readonly at: number
  readonly tookMs: number
}

interface Room {
  /** Below nothing when less is free than has to stay so. */
  readonly bytes: number
  readonly files: number
}

const { watchMs, idleWatchMs, measureMs, leastStepBytes, leastStepFiles } = limits.disk

export function watchDisk(options: DiskWatchOptions): DiskWatch {
  const { home, limits: most, clock, onFull } = options
  let last: Measurement | null = null
  let full: DiskFull | null = null
  /** What is there when it is full: commands that remove files are not ended, those that add are. */
  let allowed = { bytes: most.bytes, files: most.files, room: 0 }
  let runs = 0
  let pace: "none" | "idle" | "busy" = "none"
  let cancel = () => {}
  let looking: Promise<void> | null = null

  async function room(): Promise<Room> {
    const { bavail, blocks, bsize, ffree } = await statfs(home)
    // A small disk is not full while most of it is free.
    const needed = Math.min(most.freeBytes, (blocks * bsize) / smallPart)
    return { bytes: bavail * bsize - needed, files: ffree }
  }

  async function measure(free: Room): Promise<void> {
    const started = performance.now()
    const use = await measureHome(home, allowed.files + most.files)
    last = { ...use, free, at: performance.now(), tookMs: performance.now() - started }
    judge(use, free)
  }

  /** Free space tells at no cost whether something may have grown; now and then it is not asked. */
  function isDue(free: Room): boolean {
    if (last === null) return true
    const since = performance.now() - last.at
    if (since < 5 * last.tookMs) return false
    const step = Math.max((allowed.bytes - last.bytes) / 2, leastStepBytes)
    const steps = Math.max((allowed.files - last.files) / 2, leastStepFiles)
    const shrunk = last.free.bytes - free.bytes > step || last.free.files - free.files > steps
    return shrunk || (runs > 0 && since > Math.max(measureMs, 20 * last.tookMs))
  }

  function judge(use: DiskUse, free: Room): void {
    const isOver = use.bytes > most.bytes || use.files > most.files || free.bytes < 0
    const isWorse =
      use.bytes > allowed.bytes || use.files > allowed.files || free.bytes < allowed.room
    if (!isOver) {
      full = null
      allowed = { bytes: most.bytes, files: most.files, room: 0 }
      return
    }
    if (full && !isWorse) return
    full = new DiskFull(reasonOf(use, most))
    allowed = {
      bytes: Math.max(most.bytes, use.bytes + leastStepBytes),
      files: Math.max(most.files, use.files + leastStepFiles),
      room: Math.min(0, free.bytes - leastStepBytes),
    }
    onFull(full)
  }

  async function look(isForced: boolean): Promise<void> {
    const free = await room()
    if (last === null && options.isEmpty) {
      last = { bytes: 0, files: 0, free, at: performance.now(), tookMs: 0 }
    }
    if (isForced || isDue(free) || free.bytes < allowed.room) await measure(free)
  }

  /** One at a time; who comes while it goes on takes its answer. */
  function lookOnce(isForced: boolean): Promise<void> {
    looking ??= look(isForced)
      // A home that can't be looked at is about to be removed.
      .catch(() => {})
      .finally(() => {
        looking = null
      })
    return looking
  }

  function schedule(next: "idle" | "busy"): void {
    cancel()
    pace = next
    cancel = clock.after(
      next === "busy" ? watchMs : idleWatchMs,
      () => {
        lookOnce(false).then(() => {
          if (pace !== "none") schedule(runs > 0 ? "busy" : "idle")
        })
      },
      "idle",
    )
  }

  return {
    get isFull() {
      return full !== null
    },
    begin() {
      runs += 1
      if (pace !== "busy") schedule("busy")
    },
    end() {
      runs -= 1
    },
    async problem() {
      if (full) {
        await looking
        await lookOnce(true)
      }
      return full
    },
    stop() {
      pace = "none"
      cancel()
    },
  }
}

function reasonOf(use: DiskUse, most: DiskLimits): string {
  const mebibytes = (bytes: number) => Math.floor(bytes / 1024 ** 2)
  if (use.bytes > most.bytes) {
    return `The sandbox's files take more than the ${mebibytes(most.bytes)} MiB that they may.`
  }
  if (use.files > most.files) return `The sandbox has more than ${most.files} files.`
  return "This machine's disk is nearly full."
}
