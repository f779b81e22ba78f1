import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import {
  cleanLimits,
  isOwned,
  measureHome,
  type OldThing,
  oldThings,
  removeOldThings,
} from "../../sandbox/index.ts"
import { type KeptSession, readKeptSession } from "../kept-session.ts"
import { openRecordedSessions } from "./recorded-sessions.ts"

/** What was removed, or would be. */
export interface Cleaned {
  readonly kind: OldThing["kind"] | "artifact" | "session" | "record"
  /** Of a record, the session's name. */
  readonly path: string
  readonly bytes: number
  /** When it was last used. */
  readonly usedMs: number
}

export interface CleanOptions {
  readonly home: string
  /** In place of the default ages. */
  readonly olderThanMs?: number | undefined
  /** Durable sessions stay, however old: only a person removes what somebody may come back to. */
  readonly keepSessions?: boolean | undefined
  /** Only says what would be removed. */
  readonly dryRun?: boolean | undefined
  readonly now?: number | undefined
}

export interface CleanResult {
  readonly removed: readonly Cleaned[]
  /** What could not be removed, and why. */
  readonly failed: readonly { readonly path: string; readonly reason: string }[]
}

const hosts = ["bubblewrap", "docker", "kubernetes"]

/**
 * Removes what nobody has used for long from the directory where Toolkeep keeps what it makes: artifacts,
 * sessions with their sandboxes and records, snapshots, images that were unpacked, copies of programs. Never what a living
 * Toolkeep has, nor memory, logins and settings. It needs no room on the disk.
 */
export async function cleanHome(options: CleanOptions): Promise<CleanResult> {
  const { home, olderThanMs, keepSessions = false, dryRun = false, now = Date.now() } = options
  const age = (byDefault: number) => olderThanMs ?? byDefault
  const sessionsMs = keepSessions ? Number.POSITIVE_INFINITY : age(cleanLimits.sessionsMs)
  const removed: Cleaned[] = []
  const failed: { path: string; reason: string }[] = []
  const attempt = async (
    found: readonly Omit<Cleaned, "bytes">[],
    remove: () => Promise<void> | undefined,
  ) => {
    const measured = await Promise.all(
      found.map(async (one) => ({ ...one, bytes: await bytesOf(one) })),
    )
    try {
      if (!dryRun) await remove()
      removed.push(...measured)
    } catch (error) {
      const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)
      failed.push(...found.map(({ path }) => ({ path, reason })))
    }
  }

  for (const path of oldArtifacts(join(home, "artifacts"), { age, now })) {
    const one = { kind: "artifact", path, usedMs: usedAt(path) } as const
    await attempt([one], async () => rmSync(path, { recursive: true, force: true }))
  }
  const recorded = await openRecordedSessions(home)
  const sessions = sessionsIn(join(home, "sessions"))
  // What was recorded later than its files changed was used then.
  const lastUse = (path: string) => Math.max(usedAt(path), recorded?.lastUse(path) ?? 0)
  const isOld = (path: string) => !isOwned(path) && now - lastUse(path) >= sessionsMs
  // Before they go, which is a use as well.
  const old = new Set(sessions.filter((session) => isOld(session.path)))
  for (const { path } of old) {
    const one = { kind: "session", path, usedMs: usedAt(path) } as const
    await attempt([one], async () => {
      // Somebody may have come back to it while others were removed.
      if (isOwned(path)) throw new Error("It is in use again.")
      rmSync(path, { recursive: true, force: true })
    })
  }
  const isKept = ({ path }: KeptSession) => !dryRun && existsSync(path)
  const kept = sessions.filter((session) => !old.has(session) || isKept(session))
  const needed = {
    keptAs: new Set(kept.flatMap((session) => session.keptAs)),
    snapshots: new Set(kept.flatMap((session) => session.snapshots)),
  }
  const ages = {
    sandboxesMs: sessionsMs,
    snapshotsMs: age(cleanLimits.snapshotsMs),
    imagesMs: age(cleanLimits.imagesMs),
    programsMs: age(cleanLimits.programsMs),
  }
  for (const host of hosts) {
    const shared = join(home, host)
    if (!existsSync(shared)) continue
    for (const { kind, path, lastUsedMs } of oldThings(shared, ages, { needed, now })) {
      const remove = () => removeOldThings(shared, [{ kind, path, lastUsedMs }])
      await attempt([{ kind, path, usedMs: lastUsedMs }], remove)
    }
  }
  // Last: on a full disk, a record can be changed only after other things have made room.
  const records = recorded ?? (dryRun ? null : await openRecordedSessions(home))
  for (const { name, path, usedMs } of records?.unused(now - sessionsMs) ?? []) {
    if (kept.some((session) => session.path === path)) continue
    await attempt([{ kind: "record", path: name, usedMs }], () => records?.remove(name))
  }
  await records?.close()
  return { removed, failed }
}

interface Ages {
  readonly age: (byDefault: number) => number
  readonly now: number
}

function oldArtifacts(directory: string, { age, now }: Ages): readonly string[] {
  return namesIn(directory).flatMap((session) => {
    const inSession = join(directory, session)
    // What a person may be looking at right now is kept for the default time.
    const wanted = isOwned(inSession) ? cleanLimits.artifactsMs : age(cleanLimits.artifactsMs)
    const paths = namesIn(inSession).map((name) => join(inSession, name))
    return paths.filter((path) => {
      const name = path.slice(inSession.length + 1)
      const isUnfinished = name.startsWith(".artifact_")
      if (!isUnfinished && !name.startsWith("artifact_")) return false
      return now - usedAt(path) >= (isUnfinished ? cleanLimits.unfinishedMs : wanted)
    })
  })
}

function sessionsIn(directory: string): readonly KeptSession[] {
  return namesIn(directory).map((name) => readKeptSession(join(directory, name)))
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function usedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
}

/** An artifact is two files; anything else may be a whole system. */
async function bytesOf({ kind, path }: Omit<Cleaned, "bytes">): Promise<number> {
  // The room that it had in its file is used again by what is recorded next.
  if (kind === "record") return 0
  if (kind !== "artifact" && kind !== "session") {
    return measureHome(path, Number.POSITIVE_INFINITY).then(
      ({ bytes }) => bytes,
      () => 0,
    )
  }
  const names = await readdir(path, { recursive: true }).catch(() => [])
  const sizes = await Promise.all(
    ["", ...names].map((name) =>
      lstat(join(path, name)).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}
