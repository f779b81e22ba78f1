import { ToolFailure } from "../../contract/index.ts"
import type { DiskRoom, DiskShare, Host, SandboxUse } from "../host/host.ts"
import type { NamedSandbox } from "./named-sandbox.ts"

/** What a session may take of the disk in all. */
export interface DiskTotals {
  /** Its sandboxes, their temporary files while they sleep, its snapshots, and what is beside them. */
  readonly sessionBytes: number
  /** What it takes beside its sandboxes: its artifacts. */
  readonly beside?: (() => number) | undefined
  /** What all sessions have together. */
  readonly home?: HomeTotal | undefined
}

/** All that one Toolkeep stores on this machine. */
export interface HomeTotal {
  readonly mostBytes: number
  used(): number
  /** Measures again, before something is refused for it. */
  refresh(): Promise<void>
}

export interface SessionDisk {
  /** In bytes, as far as is known. */
  used(): number
  left(): DiskShare
  roomFor(name: string): DiskRoom
  /** Refuses what would take more when the totals are used up. */
  requireRoom(): Promise<void>
}

export interface SessionDiskDeps {
  readonly host: Host
  readonly totals: DiskTotals
  readonly sandboxes: ReadonlyMap<string, NamedSandbox>
  /** The snapshots and checkpoints of this session. */
  readonly held: () => readonly string[]
}

const nothing: SandboxUse = { own: 0, parts: new Map() }

/** Adds up what was measured; nothing is walked through for it but what nobody has measured yet. */
export function createSessionDisk(deps: SessionDiskDeps): SessionDisk {
  const { host, totals, sandboxes, held } = deps
  const { beside = () => 0, home } = totals
  const snapshots = new Map<string, SandboxUse>()

  function used(): number {
    const uses = [...sandboxes.values()].map((sandbox) => sandbox.diskUse)
    const stored = held().map((id) => snapshots.get(id) ?? nothing)
    const shared = new Map([...uses, ...stored].flatMap((use) => [...use.parts]))
    const own = uses.reduce((sum, use) => sum + use.own, beside())
    return [...shared.values()].reduce((sum, bytes) => sum + bytes, own)
  }

  async function measureAll(): Promise<void> {
    await Promise.allSettled([
      ...[...sandboxes.values()].map((sandbox) => sandbox.measureDisk()),
      // What checkpoints share is counted to all of them, and changes with each.
      ...held().map(async (id) => {
        const use = await host.storedUse?.({ kind: "snapshot", id })
        if (use) snapshots.set(id, use)
      }),
    ])
    if (home && home.used() > home.mostBytes) await home.refresh()
  }

  /** Many may ask at once, and all get the same answer. */
  let refreshing: Promise<void> | null = null
  function refresh(): Promise<void> {
    refreshing ??= measureAll().finally(() => {
      refreshing = null
    })
    return refreshing
  }

  /** What an earlier process has left was not measured by this one. */
  let isUnknown = sandboxes.size > 0 || held().length > 0

  /** Below nothing when more is taken than may be. */
  function left(): DiskShare {
    if (isUnknown) refresh()
    isUnknown = false
    const session = totals.sessionBytes - used()
    const all = home ? home.mostBytes - home.used() : Number.POSITIVE_INFINITY
    if (session <= all) return { bytes: session, reason: sessionFull(totals.sessionBytes) }
    return { bytes: all, reason: homeFull(home?.mostBytes ?? 0) }
  }

  function roomFor(name: string): DiskRoom {
    return {
      most() {
        const { own, parts: shared } = sandboxes.get(name)?.diskUse ?? nothing
        const taken = [...shared.values()].reduce((sum, bytes) => sum + bytes, own)
        const { bytes, reason } = left()
        return { bytes: taken + bytes, reason }
      },
      refresh,
    }
  }

  async function requireRoom(): Promise<void> {
    if (isUnknown) await refresh()
    isUnknown = false
    if (left().bytes > 0) return
    await refresh()
    const { bytes, reason } = left()
    if (bytes <= 0) throw new ToolFailure({ kind: "rejected", message: reason, retryable: false })
  }

  return { used, left, roomFor, requireRoom }
}

function sessionFull(most: number): string {
  return (
    `This session's sandboxes, snapshots and shared files take all of the ${mebibytes(most)} MiB that they may ` +
    "take together. Remove files, or destroy a sandbox that is not needed (sandbox.destroy)."
  )
}

function homeFull(most: number): string {
  return (
    `All that Toolkeep keeps takes the ${mebibytes(most)} MiB that it may take. Remove files, destroy sandboxes ` +
    "(sandbox.destroy), or have a person run toolkeep clean."
  )
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 ** 2)
}
