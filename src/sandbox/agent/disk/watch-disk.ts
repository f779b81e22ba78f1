import { existsSync, rmSync, type StatsFs, writeFileSync } from "node:fs"
import { statfs } from "node:fs/promises"
import type { Clock } from "../../../kit/index.ts"
import type { DiskRoom, DiskShare, SandboxUse } from "../../host/host.ts"
import { diskLimits } from "../../limits.ts"
import { DiskFull } from "./disk-full.ts"
import type { HeldFiles } from "./measure-held.ts"
import { bytesOf, type DiskUse, measureHome, type SharedUse } from "./measure-home.ts"

export interface DiskLimits extends DiskUse {
  /** What has to stay free of the whole disk; of a small one, a part. */
  readonly freeBytes: number
}

const smallPart = 50

/** What is free on a disk, as the kernel says it, and what the files of a home take of it. */
export interface DiskLook {
  free(): Promise<Pick<StatsFs, "bavail" | "blocks" | "bsize" | "ffree">>
  /** Ends early above so many files; unsure where something could not be looked at. */
  home(mostFiles: number): Promise<DiskUse & { readonly isUnsure: boolean }>
}

export interface DiskWatchOptions {
  /** A directory of this machine, or how to look at a disk that is elsewhere. */
  readonly home: string | DiskLook
  /** Nothing is in it yet, so nothing has to be measured. */
  readonly isEmpty: boolean
  readonly limits: DiskLimits
  readonly clock: Clock
  /** What is not in the home and counts as well: layers below it, and snapshots of it. */
  readonly parts?: () => Promise<SharedUse>
  /** What processes hold that has no name any more. */
  readonly held?: () => Promise<HeldFiles>
  /** Whether nothing is inside that could write; absent where nobody can tell. */
  readonly isQuiet?: () => Promise<boolean>
  /** A file that is there while it is full, for the process that opens the sandbox after this one. */
  readonly mark?: string
  /** What a session leaves of its total. */
  readonly room?: DiskRoom | undefined
  /** Ends whatever runs, and resolves when nothing does any more. */
  readonly onFull: (failure: DiskFull) => Promise<void>
}

/** Looks after what one sandbox takes of the disk, for file systems know no limit for a directory. */
export interface DiskWatch {
  /** Something runs from now on, and what it leaves behind may go on after it. */
  begin(): void
  end(): void
  /** As far as is known. */
  readonly isFull: boolean
  /** It was full, and something inside has taken more all the same. */
  readonly growsOn: boolean
  /** Whether the session's total leaves room for it, as far as is known. */
  hasRoom(): boolean
  /** Why nothing may be written; measured again when that might be so. */
  problem(): Promise<DiskFull | null>
  use(): SandboxUse
  measure(): Promise<SandboxUse>
  /** What its limits leave, as it is now. */
  left(): Promise<number>
  /** A last look at what has run, before it sleeps. */
  settle(): Promise<void>
  /** While the sandbox sleeps nothing can change, but for what a snapshot makes of its files. */
  stop(): void
}

interface Measurement extends DiskUse {
  /** Its own, without the parts that others may have as well. */
  readonly own: number
  readonly parts: SharedUse
  readonly isUnsure: boolean
  readonly free: Free
  /** Not by the time of day, which can jump. */
  readonly at: number
  readonly tookMs: number
}

interface Free {
  /** Below nothing when less is free than has to stay so. */
  readonly bytes: number
  readonly files: number
}

const { watchMs, idleWatchMs, measureMs, idleMeasureMs, leastStepBytes, leastStepFiles } =
  diskLimits
const { unsureMeasurements } = diskLimits

export function watchDisk(options: DiskWatchOptions): DiskWatch {
  const { limits: most, clock, onFull, room } = options
  const home = typeof options.home === "string" ? lookHere(options.home) : options.home
  let last: Measurement | null = null
  /** What was free and what was found when all was found: what has gone from the disk since may be hidden. */
  let sure: { readonly free: number; readonly bytes: number | null } | null = null
  let unsureInRow = 0
  /** What was free before the first use. */
  let firstFree: Free | null = null
  let full: DiskFull | null = isMarked(options.mark) ? new DiskFull("The sandbox was full.") : null
  let growsOn = false
  /** Until what ran is ended, it may still write. */
  let isEnding = false
  /** What it took when the session's total last had room for it. */
  let fitted: number | null = options.isEmpty ? 0 : null
  /** What is there when it is full: commands that remove files are not ended, those that add are. */
  let allowed = { bytes: most.bytes, files: most.files, free: 0 }
  let runs = 0
  let lastRunEnded = performance.now()
  let pace: "none" | "idle" | "busy" = "none"
  let cancel = () => {}
  let looking: Promise<void> | null = null
  /** A measurement that decides nothing. */
  let counting: Promise<Measurement | null> | null = null

  async function freeNow(): Promise<Free> {
    const { bavail, blocks, bsize, ffree } = await home.free()
    // A small disk is not full while most of it is free.
    const needed = Math.min(most.freeBytes, (blocks * bsize) / smallPart)
    return { bytes: bavail * bsize - needed, files: ffree }
  }

  async function measure(free: Free): Promise<Measurement> {
    const started = performance.now()
    const [own, parts, held] = await Promise.all([
      home.home(allowed.files + most.files),
      options.parts?.() ?? new Map<string, DiskUse>(),
      options.held?.() ?? { bytes: 0, isUnsure: false },
    ])
    const stored = [...parts.values()]
    const ownBytes = own.bytes + held.bytes
    const at = performance.now()
    const now: Measurement = {
      bytes: stored.reduce((sum, { bytes }) => sum + bytes, ownBytes),
      files: stored.reduce((sum, { files }) => sum + files, own.files),
      own: ownBytes,
      parts,
      isUnsure: held.isUnsure || own.isUnsure,
      free,
      at,
      tookMs: at - started,
    }
    unsureInRow = now.isUnsure ? unsureInRow + 1 : 0
    if (!now.isUnsure || sure === null) sure = { free: free.bytes, bytes: now.bytes }
    // Nothing was measured before it was used; what was free then is known.
    else if (sure.bytes === null) sure = { free: sure.free, bytes: now.bytes }
    last = now
    return now
  }

  /** What processes can hide at most: what has gone from the disk and was not found. */
  function hidden(now: Measurement): number {
    if (unsureInRow === 0 || sure === null) return 0
    const found = now.bytes - (sure.bytes ?? now.bytes)
    return Math.max(0, sure.free - now.free.bytes - found - leastStepBytes)
  }

  /** Free space tells at no cost whether something may have grown; now and then it is not asked. */
  async function isDue(free: Free): Promise<boolean> {
    if (last === null) return true
    const since = performance.now() - last.at
    if (since < 5 * last.tookMs) return false
    if (last.bytes + hidden(last) > allowed.bytes) return true
    const step = Math.max((mostBytes() - last.bytes) / 2, leastStepBytes)
    const steps = Math.max((allowed.files - last.files) / 2, leastStepFiles)
    const shrunk = last.free.bytes - free.bytes > step || last.free.files - free.files > steps
    if (shrunk) return true
    // Others may free as much as this one takes.
    const patience = runs > 0 ? measureMs : idlePatience()
    const hasChanged = runs > 0 || free.bytes !== last.free.bytes
    return hasChanged && since > Math.max(patience, 20 * last.tookMs) && !(await isAsMeasured(last))
  }

  /** To measure again what can't have changed would cost each idle sandbox three programs a minute (bench: idle-server). */
  async function isAsMeasured({ at, isUnsure }: Measurement): Promise<boolean> {
    if (runs > 0 || isUnsure || at < lastRunEnded) return false
    return (await options.isQuiet?.()) ?? false
  }

  /** What a command has left behind writes soon after it, if at all. */
  function idlePatience(): number {
    return Math.min(Math.max(performance.now() - lastRunEnded, measureMs), idleMeasureMs)
  }

  /** Its own limit, and what the session leaves; one that is already above that may stay as it is. */
  function mostBytes(): number {
    const share = room?.most().bytes ?? Number.POSITIVE_INFINITY
    return Math.min(allowed.bytes, share)
  }

  /** Why it takes too much, if it does. */
  async function excess(now: Measurement): Promise<string | null> {
    if (now.bytes > most.bytes) {
      return `The sandbox's files take more than the ${mebibytes(most.bytes)} MiB that they may${beside(now)}.`
    }
    if (now.files > most.files) return `The sandbox has more than ${most.files} files.`
    if (now.free.bytes < 0) return "This machine's disk is nearly full."
    if (unsureInRow >= unsureMeasurements && now.bytes + hidden(now) > most.bytes) {
      return `The sandbox's processes hold files without a name, with which it takes more than the ${mebibytes(most.bytes)} MiB that it may.`
    }
    const share = room && (await shareFor(now.bytes, room))
    if (!share || now.bytes <= share.bytes) {
      fitted = now.bytes
      return null
    }
    fitted ??= now.bytes
    // Only a sandbox that grows is ended for what all take together.
    return full !== null || now.bytes > fitted + leastStepBytes ? share.reason : null
  }

  async function judge(now: Measurement): Promise<void> {
    const reason = await excess(now)
    if (isEnding) return
    if (reason === null) {
      if (full) unmark(options.mark)
      full = null
      growsOn = false
      allowed = { bytes: most.bytes, files: most.files, free: 0 }
      return
    }
    const isWorse =
      now.bytes + hidden(now) > allowed.bytes ||
      now.files > allowed.files ||
      now.free.bytes < allowed.free
    if (full && !isWorse) return
    growsOn = full !== null && (now.bytes > allowed.bytes || now.files > allowed.files)
    full = new DiskFull(reason)
    mark(options.mark)
    isEnding = true
    // What was hidden goes with the processes.
    unsureInRow = 0
    sure = null
    onFull(full).then(async () => {
      await lookNow()
      isEnding = false
      allow(last ?? now)
    })
  }

  /** So much and no more, while it is full. */
  function allow({ bytes, files, free }: Measurement): void {
    allowed = {
      bytes: Math.max(most.bytes, bytes + leastStepBytes),
      files: Math.max(most.files, files + leastStepFiles),
      free: Math.min(0, free.bytes - leastStepBytes),
    }
  }

  async function look(isForced: boolean): Promise<void> {
    const free = await freeNow()
    if (last === null && options.isEmpty) {
      const nothing = { bytes: 0, files: 0, own: 0, parts: new Map(), isUnsure: false }
      last = { ...nothing, free: firstFree ?? free, at: performance.now(), tookMs: 0 }
    }
    if (isForced || free.bytes < allowed.free || (await isDue(free))) {
      await judge(await measure(free))
    }
  }

  /** Before anything can be hidden. */
  function rememberFree(): void {
    const bytes = last?.bytes ?? (options.isEmpty ? 0 : null)
    freeNow().then(
      (free) => {
        firstFree ??= free
        sure = { free: free.bytes, bytes }
      },
      () => {},
    )
  }

  /** One at a time; a caller that comes while it goes on gets its answer. */
  function lookOnce(isForced: boolean): Promise<void> {
    looking ??= look(isForced)
      // A home that can't be looked at is about to be removed.
      .catch(() => {})
      .finally(() => {
        looking = null
      })
    return looking
  }

  async function lookNow(): Promise<void> {
    await looking
    await lookOnce(true)
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

  const use = (): SandboxUse => ({
    own: last?.own ?? 0,
    parts: bytesOf(last?.parts ?? new Map()),
  })

  return {
    get isFull() {
      return full !== null
    },
    get growsOn() {
      return growsOn
    },
    hasRoom: () => room === undefined || (last?.bytes ?? 0) <= room.most().bytes,
    begin() {
      runs += 1
      if (pace === "none") rememberFree()
      if (pace !== "busy") schedule("busy")
    },
    end() {
      runs -= 1
      lastRunEnded = performance.now()
    },
    async problem() {
      if (full) await lookNow()
      if (full || !room) return full
      const taken = last?.bytes ?? 0
      const { bytes, reason } = await shareFor(taken, room)
      return taken <= bytes ? null : new DiskFull(reason)
    },
    use,
    async measure() {
      // A look in progress may itself wait for what others take, and they for it.
      if (looking) return use()
      counting ??= freeNow()
        .then(measure)
        .catch(() => null)
        .finally(() => {
          counting = null
        })
      await counting
      return use()
    },
    async left() {
      await lookNow()
      const taken = last?.bytes ?? 0
      const share = room && (await shareFor(taken, room))
      return Math.min(most.bytes, share?.bytes ?? most.bytes) - taken
    },
    async settle() {
      // Free space says little where others come and go, and what is held now can't be taken back.
      const isTime = last === null || performance.now() - last.at > 2 * last.tookMs
      if (pace !== "none") await lookOnce(isTime)
      this.stop()
    },
    stop() {
      pace = "none"
      cancel()
    },
  }
}

function lookHere(path: string): DiskLook {
  return {
    free: () => statfs(path),
    home: async (most) => ({ ...(await measureHome(path, most)), isUnsure: false }),
  }
}

function isMarked(file: string | undefined): boolean {
  return file !== undefined && existsSync(file)
}

/** A full disk may have no room for the mark; the next process then finds out for itself. */
function mark(file: string | undefined): void {
  try {
    if (file !== undefined) writeFileSync(file, "")
  } catch {}
}

function unmark(file: string | undefined): void {
  if (file !== undefined) rmSync(file, { force: true })
}

/** What others take is measured again before somebody is refused for it. */
async function shareFor(bytes: number, room: DiskRoom): Promise<DiskShare> {
  const known = room.most()
  if (bytes <= known.bytes) return known
  await room.refresh()
  return room.most()
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 ** 2)
}

/** What can't be seen among its files is said. */
function beside({ bytes, own }: Measurement): string {
  const shared = bytes - own
  return shared < leastStepBytes ? "" : `, ${mebibytes(shared)} MiB of them in snapshots`
}
