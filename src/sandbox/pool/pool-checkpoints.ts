import type { Host } from "../host/host.ts"
import { permanentFailure, requireCheckpoints, unsupported } from "../host/unsupported.ts"
import type { NamedSandbox, RecordedFiles, SandboxRecord } from "./named-sandbox.ts"
import { badName, isSandboxName, tooMany } from "./refusals.ts"

/** The files of a pool's sandboxes at one time. Plain data, for the record of a session. */
export interface PoolCheckpoint {
  readonly host: string
  readonly sandboxes: readonly CheckpointedSandbox[]
  /** Files that changed all the time or could not be read. */
  readonly incomplete: readonly { readonly sandbox: string; readonly path: string }[]
}

/** How a sandbox was made, and what holds its files. */
export interface CheckpointedSandbox
  extends Pick<SandboxRecord, "name" | "image" | "network" | "limits" | "mounts" | "sleepAfterMs"> {
  readonly id: string
}

export interface PoolCheckpointsDeps {
  readonly host: Host
  readonly sandboxes: Map<string, NamedSandbox>
  /** How many sandboxes there may be. */
  readonly most: number
  /** The checkpoints of this pool, which go when its files do. */
  readonly held: Set<string>
  readonly requireOpen: () => void
  readonly requireRoom: () => Promise<void>
  /** Makes one that is not among the sandboxes yet. */
  readonly prepare: (from: CheckpointedSandbox) => NamedSandbox
  readonly save: () => void
  /** What was decided about this name before does not hold any more. */
  readonly revise: (name: string) => void
  readonly onNotDestroyed: (name: string, error: unknown) => void
}

export interface PoolCheckpoints {
  checkpoint(): Promise<PoolCheckpoint>
  restore(checkpoint: PoolCheckpoint): Promise<void>
  drop(id: string): Promise<void>
}

/** Records the files of all sandboxes, and gives them back. */
export function createPoolCheckpoints(deps: PoolCheckpointsDeps): PoolCheckpoints {
  const { host, sandboxes, held, requireOpen, requireRoom, save } = deps

  /** One after the other: neither may see half of what another has done. */
  let last: Promise<unknown> = Promise.resolve()
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }

  async function checkpoint(): Promise<PoolCheckpoint> {
    requireOpen()
    requireCheckpoints(host.can)
    const all = [...sandboxes.values()].filter((one) => one.hasFiles)
    if (all.some(({ record }) => record.checkpoint === undefined)) await requireRoom()
    const ends = await Promise.allSettled(all.map((one) => one.checkpoint()))
    const recorded = ends.map((end) => (end.status === "fulfilled" ? end.value : null))
    const fresh = recorded.flatMap((one) => (one?.kind === "recorded" ? [one.id] : []))
    for (const id of fresh) held.add(id)
    const failed = ends.find((end) => end.status === "rejected")
    if (failed) {
      await Promise.allSettled(fresh.map(drop))
      throw failed.reason
    }
    if (fresh.length > 0) save()
    const parts = all.map((one, index) => ({ one, files: recorded[index] as RecordedFiles }))
    return {
      host: host.name,
      sandboxes: parts.map(({ one, files }) => described(one.record, files.id)),
      incomplete: parts.flatMap(({ one, files }) =>
        files.kind === "unchanged"
          ? []
          : files.incomplete.map((path) => ({ sandbox: one.record.name, path })),
      ),
    }
  }

  async function restore(wanted: PoolCheckpoint): Promise<void> {
    requireOpen()
    requireFitting(wanted)
    await requireRoom()
    const next = wanted.sandboxes.map(deps.prepare)
    const undo = () => Promise.allSettled(next.map((one) => one.end()))
    // All that is restored is there before anything that was there goes.
    const starts = await Promise.allSettled(next.map((one) => one.workspace()))
    const failed = starts.find((start) => start.status === "rejected")
    if (failed) {
      await undo()
      throw failed.reason
    }
    const before = [...sandboxes]
    try {
      requireOpen()
      replaceAll(next.map((one) => [one.record.name, one]))
      save()
    } catch (error) {
      replaceAll(before)
      await undo()
      throw error
    }
    for (const name of new Set([...before.map(([name]) => name), ...sandboxes.keys()])) {
      deps.revise(name)
    }
    await Promise.all(
      before.map(async ([name, one]) => {
        await (one.hasFiles ? one.destroy() : one.end()).catch((error: unknown) =>
          deps.onNotDestroyed(name, error),
        )
      }),
    )
  }

  function replaceAll(entries: readonly (readonly [string, NamedSandbox])[]): void {
    sandboxes.clear()
    for (const [name, sandbox] of entries) sandboxes.set(name, sandbox)
  }

  function requireFitting(wanted: PoolCheckpoint): void {
    requireCheckpoints(host.can)
    if (wanted.host !== host.name) {
      throw permanentFailure(
        `The files were recorded on the ${wanted.host} host, and can't be restored on ${host.name}.`,
      )
    }
    const names = wanted.sandboxes.map(({ name }) => name)
    const odd = names.find((name, index) => !isSandboxName(name) || names.indexOf(name) < index)
    if (odd !== undefined) throw badName(odd)
    if (names.length > deps.most) throw tooMany(deps.most, names)
    const needsMounts = wanted.sandboxes.some(({ mounts }) => mounts?.length)
    if (needsMounts && !host.can.mounts) throw unsupported(host.name, "show directories inside")
  }

  async function drop(id: string): Promise<void> {
    for (const one of sandboxes.values()) one.forgetCheckpoint(id)
    await host.removeSnapshot(id)
    if (held.delete(id)) save()
  }

  return {
    checkpoint: () => inTurn(checkpoint),
    restore: (wanted) => inTurn(() => restore(wanted)),
    drop,
  }
}

function described(record: SandboxRecord, id: string): CheckpointedSandbox {
  const { name, image, network, limits, mounts, sleepAfterMs } = record
  return { name, id, image, network, limits, mounts, sleepAfterMs }
}
