import { copyInput, type Network, ToolFailure, type Workspace } from "../../contract/index.ts"
import { type Clock, createId, publish, systemClock } from "../../kit/index.ts"
import type { CallObservation } from "../effects/call-observer.ts"
import type { Host, Mount, SandboxLimitsRequest } from "../host/host.ts"
import { unsupported } from "../host/unsupported.ts"
import { poolLimits } from "../limits.ts"
import type { SandboxPath, Transferred } from "../transfer/transfer.ts"
import {
  NamedSandbox,
  type PoolBinding,
  type SandboxRecord,
  type SandboxStatus,
} from "./named-sandbox.ts"
import {
  type NetworkBound,
  narrowNetwork,
  type PoolNetwork,
  requireWithin,
} from "./network-bound.ts"
import { createPoolCheckpoints, type PoolCheckpoint } from "./pool-checkpoints.ts"
import type { PoolEvent, PoolListener } from "./pool-events.ts"
import { createPoolMoves, type HandedSandboxes } from "./pool-moves.ts"
import { forgetPool, openPoolRecord, type PoolRecord } from "./pool-record.ts"
import {
  badName,
  checkSleep,
  isSandboxName,
  isTaken,
  noSuch,
  notRemembered,
  requireSame,
  tooMany,
} from "./refusals.ts"
import { createSessionDisk, type DiskTotals, type SessionDisk } from "./session-disk.ts"

/** The named sandboxes of one session, made on first use. */
export interface Pool extends AsyncDisposable {
  readonly host: Host
  readonly network: PoolNetwork
  /** Made on first use, when nobody has created it. */
  workspace(name?: string): Promise<Workspace>
  create(request: SandboxRequest): Promise<CreatedSandbox>
  /** Looks at what a call does in a sandbox. */
  observe(name: string, call: string): Promise<CallObservation>
  list(): readonly SandboxStatus[]
  /** What a sandbox uses now, each thing known or with the reason why not, and its limits. Wakes nothing. */
  usage(name: string): ReturnType<NamedSandbox["usage"]>
  /**
   * Another number when a name stands for another sandbox than before, or for the same with another network:
   * what was decided about it before does not hold any more.
   */
  revision(name: string): number
  sleep(name: string): Promise<void>
  setNetwork(name: string, network: Network): Promise<void>
  /** The files of a sandbox as they are now, as what others can start `from`. */
  snapshot(name: string): Promise<string>
  /** The same, for this pool only: it is one of its `snapshots`, and goes when the pool's files do. */
  holdSnapshot(name: string): Promise<string>
  snapshots(): readonly string[]
  removeSnapshot(id: string): Promise<void>
  /**
   * The files of all sandboxes' homes as they are now, while processes go on. A sandbox that nothing can have
   * changed since its last one costs nothing.
   */
  checkpoint(): Promise<PoolCheckpoint>
  /**
   * The sandboxes of a checkpoint, with its files, in the place of all that there are: those are destroyed. The
   * checkpoint may be another pool's of the same host.
   */
  restore(checkpoint: PoolCheckpoint): Promise<void>
  /** Removes what holds the files of one sandbox in a checkpoint. Sandboxes that were restored go on. */
  dropCheckpoint(id: string): Promise<void>
  /** A new sandbox with the files of another. */
  fork(name: string, to: string): Promise<CreatedSandbox>
  /** Hands all sandboxes to another pool of the same Toolkeep; returns their names. Processes in them go on. */
  moveTo(target: Pick<Pool, "adopt">): Promise<readonly string[]>
  /** Takes sandboxes that another pool hands over. */
  adopt(handed: HandedSandboxes): Promise<void>
  transfer(from: NamedPath, to: NamedPath, options?: TransferOptions): Promise<Transferred>
  destroySandbox(name: string): Promise<void>
  /** What all of it takes of the disk together. */
  readonly disk: Pick<SessionDisk, "used" | "left" | "requireRoom">
  listen(listener: PoolListener): () => void
  /** Ends everything. Persisted sandboxes keep their files, others are destroyed. */
  close(): Promise<void>
  /** Ends everything and leaves nothing behind. */
  destroy(): Promise<void>
}

export interface SandboxRequest {
  readonly name: string
  readonly image?: string | undefined
  readonly network?: Network | undefined
  readonly limits?: SandboxLimitsRequest | undefined
  /** Directories of this machine that are shown inside, where the host can do that. */
  readonly mounts?: readonly Mount[] | undefined
  readonly sleepAfterMs?: number | undefined
  /** A snapshot. */
  readonly from?: string | undefined
}

export interface CreatedSandbox {
  readonly sandbox: string
  /** False when there was one of this name. */
  readonly created: boolean
}

export interface NamedPath {
  readonly sandbox: string
  readonly path: string
}

export interface TransferOptions {
  readonly recursive?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

export interface PoolOptions {
  readonly clock?: Clock | undefined
  /** How many sandboxes there may be. */
  readonly sandboxes?: number | undefined
  /**
   * What sandboxes may reach that are created without a network, and the most that any of them may. The
   * host's default, and no bound, when absent.
   */
  readonly network?: Network | undefined
  /** Further bounds on the networks that are asked for. */
  readonly bounds?: readonly NetworkBound[] | undefined
  /** What its sandboxes and snapshots may take of the disk together; no more than each of them may, when absent. */
  readonly disk?: DiskTotals | undefined
  /** Where the pool is persisted: opened again, it has its sandboxes. Nothing outlives it when absent. */
  readonly directory?: string | undefined
}

/** Nothing is more than "full". */
function boundOf(network: Network | undefined): readonly NetworkBound[] {
  if (network === undefined || network.kind === "full") return []
  return [{ network, source: "--network (in a program, openToolkeep's network)" }]
}

const unlimited = { bytes: Number.POSITIVE_INFINITY, reason: "" }

export function createPool(host: Host, options: PoolOptions = {}): Pool {
  const { clock = systemClock, sandboxes: most = poolLimits.sandboxes, directory } = options
  const listeners = new Set<PoolListener>()
  const sandboxes = new Map<string, NamedSandbox>()
  const revisions = new Map<string, number>()
  let state: "open" | "closing" | "closed" = "open"

  const emit = (event: PoolEvent) => publish(listeners, event)
  const held = new Set<string>()
  const heldCheckpoints = new Set<string>()
  const remember = (records: readonly SandboxRecord[]) =>
    record?.save({ sandboxes: records, snapshots: [...held], checkpoints: [...heldCheckpoints] })
  const save = () => remember([...sandboxes.values()].map((sandbox) => sandbox.record))

  /** A change that can't be saved does not fail: on a full disk, the next one is written with all before it. */
  const saveLater = (sandbox: string) => {
    try {
      save()
    } catch (error) {
      emit({ kind: "sandbox-failed", doing: "remember", error, sandbox, at: clock.now() })
    }
  }

  function prepare(
    description: SandboxRecord,
    made: { isFound: boolean; from?: string | undefined },
  ): NamedSandbox {
    const { name } = description
    return new NamedSandbox({ ...made, host, clock, record: description, ...bind(name) })
  }

  function bind(name: string): PoolBinding {
    return {
      room: options.disk && {
        most: () => sessionDisk?.roomFor(name).most() ?? unlimited,
        refresh: async () => sessionDisk?.roomFor(name).refresh(),
      },
      emit: (change) => emit({ ...change, sandbox: name, at: clock.now() }),
      onChange: () => saveLater(name),
    }
  }

  function add(...[description, made]: Parameters<typeof prepare>): NamedSandbox {
    const sandbox = prepare(description, made)
    sandboxes.set(description.name, sandbox)
    return sandbox
  }

  const record: PoolRecord | null =
    directory === undefined ? null : openPoolRecord(directory, host.name)
  const own = boundOf(options.network)
  const bounds = [...own, ...(options.bounds ?? [])]
  for (const found of record?.found.sandboxes ?? []) {
    // The further bounds are for networks that were asked for.
    const network = narrowNetwork(found.network, found.network ? bounds : own, host)
    add({ ...found, network }, { isFound: true })
  }
  for (const id of record?.found.snapshots ?? []) held.add(id)
  for (const id of record?.found.checkpoints ?? []) heldCheckpoints.add(id)

  const sessionDisk = options.disk
    ? createSessionDisk({
        host,
        totals: options.disk,
        sandboxes,
        held: () => [...held, ...heldCheckpoints],
      })
    : null
  const requireRoom = async () => sessionDisk?.requireRoom()

  function describe(request: SandboxRequest): SandboxRecord {
    const {
      name,
      image,
      network = options.network,
      limits: requested,
      mounts,
      sleepAfterMs,
    } = request
    if (mounts?.length && !host.can.mounts) throw unsupported(host.name, "show directories inside")
    return {
      name,
      image,
      network,
      limits: requested,
      ...(mounts && { mounts }),
      sleepAfterMs: checkSleep(sleepAfterMs),
      createdMs: clock.now(),
      ...(record && host.can.durable && { keptAs: createId("pool") }),
      processes: [],
    }
  }

  function addNew(request: SandboxRequest): NamedSandbox {
    if (!isSandboxName(request.name)) throw badName(request.name)
    if (sandboxes.size >= most) throw tooMany(most, [...sandboxes.keys()])
    const described = describe(request)
    // One that is ready has a word already, which is saved before any file can be.
    const { from } = request
    const isKept = described.keptAs !== undefined
    const keptAs = (isKept && host.reserveKept?.({ ...described, from })) || described.keptAs
    const sandbox = add({ ...described, keptAs }, { isFound: false, from })
    try {
      save()
    } catch (error) {
      sandboxes.delete(request.name)
      throw notRemembered(error)
    }
    return sandbox
  }

  const revision = (name: string) => revisions.get(name) ?? 0
  const revise = (name: string) => revisions.set(name, revision(name) + 1)

  function requireOpen(): void {
    if (state !== "open")
      throw new ToolFailure({ kind: "unavailable", message: "The session is closed." })
  }

  function existing(name: string): NamedSandbox {
    requireOpen()
    const sandbox = sandboxes.get(name)
    if (sandbox) return sandbox
    throw noSuch(name, [...sandboxes.keys()])
  }

  async function workspace(name = "default"): Promise<Workspace> {
    requireOpen()
    const known = sandboxes.get(name)
    if (known) return known.workspace()
    await requireRoom()
    return (sandboxes.get(name) ?? addNew({ name })).workspace()
  }

  async function create(request: SandboxRequest): Promise<CreatedSandbox> {
    if (!request.network) return createGranted(request)
    // A copy, because what is judged has to be what is made.
    const network = copyInput(request.network)
    await requireWithin(network, bounds)
    return createGranted({ ...request, network })
  }

  /** One whose network was judged before. */
  async function createGranted(request: SandboxRequest): Promise<CreatedSandbox> {
    requireOpen()
    const known = sandboxes.get(request.name)
    if (known) {
      requireSame(request, { ...known.status, limits: known.record.limits })
      return { sandbox: request.name, created: false }
    }
    await requireRoom()
    // Somebody else may have made it meanwhile.
    if (sandboxes.has(request.name)) return create(request)
    const sandbox = addNew(request)
    // One that is made on first use is what everybody expects under a free name; this one has requested options.
    revise(request.name)
    try {
      await sandbox.workspace()
    } catch (error) {
      // The request can't be fulfilled: the name is free for another one.
      if (sandboxes.get(request.name) === sandbox) sandboxes.delete(request.name)
      save()
      throw error
    }
    return { sandbox: request.name, created: true }
  }

  async function fork(name: string, to: string): Promise<CreatedSandbox> {
    const source = existing(name)
    if (sandboxes.has(to)) throw isTaken(to)
    await requireRoom()
    const { image, network, limits: requested, sleepAfterMs } = source.record
    const snapshot = await source.snapshot()
    try {
      const from = snapshot
      const made = await createGranted({
        ...{ name: to, image, network, limits: requested, sleepAfterMs, from },
      })
      emit({ kind: "sandbox-forked", to, sandbox: name, at: clock.now() })
      return made
    } finally {
      await host.removeSnapshot(snapshot)
    }
  }

  async function openPath({ sandbox, path }: NamedPath): Promise<SandboxPath> {
    return { sandbox: await existing(sandbox).open(), path }
  }

  async function destroySandbox(name: string): Promise<void> {
    const sandbox = existing(name)
    revise(name)
    await sandbox.destroy()
    sandboxes.delete(name)
    save()
  }

  async function snapshot(name: string): Promise<string> {
    const sandbox = existing(name)
    await requireRoom()
    return sandbox.snapshot()
  }

  async function holdSnapshot(name: string): Promise<string> {
    const id = await snapshot(name)
    held.add(id)
    saveLater(name)
    return id
  }

  async function removeSnapshot(id: string): Promise<void> {
    await host.removeSnapshot(id)
    if (held.delete(id)) save()
  }

  /** What somebody else removed meanwhile is gone as well. */
  async function removeHeld(): Promise<void> {
    const ids = [...held, ...heldCheckpoints]
    held.clear()
    heldCheckpoints.clear()
    await Promise.allSettled(ids.map((id) => host.removeSnapshot(id)))
  }

  const checkpoints = createPoolCheckpoints({
    ...{ host, sandboxes, most, held: heldCheckpoints, requireOpen, requireRoom, save, revise },
    prepare({ id, ...request }) {
      // It was granted before, by a pool that may have had other bounds.
      const network = narrowNetwork(request.network, request.network ? bounds : own, host)
      const description = describe({ ...request, network })
      const isHeld = heldCheckpoints.has(id)
      const unchanged = isHeld ? { ...description, checkpoint: id } : description
      return prepare(unchanged, { isFound: false, from: id })
    },
    onNotDestroyed: (sandbox, error) =>
      emit({ kind: "sandbox-failed", doing: "destroy", error, sandbox, at: clock.now() }),
  })

  const moves = createPoolMoves({
    ...{ host, directory, sandboxes, most, requireOpen, remember, saveLater, bind, revise },
    requireNetwork: (network) => requireWithin(network, bounds),
  })

  async function close(): Promise<void> {
    if (state !== "open") return
    state = "closing"
    const all = [...sandboxes.values()]
    const ends = await Promise.allSettled(
      all.map((one) => (one.record.keptAs ? one.sleep() : one.end())),
    )
    if (!record || !host.can.durable) await removeHeld()
    remember(all.map((one) => one.record).filter(({ keptAs }) => keptAs !== undefined))
    record?.release()
    state = "closed"
    // A sandbox that could not go to sleep does not leave the others awake.
    const failed = ends.find((end) => end.status === "rejected")
    if (failed) throw failed.reason
  }

  async function destroy(): Promise<void> {
    state = "closing"
    const all = [...sandboxes.values()]
    sandboxes.clear()
    await Promise.all(all.map((one) => (one.record.keptAs ? one.destroy() : one.end())))
    await removeHeld()
    if (directory !== undefined) forgetPool(directory)
    state = "closed"
  }

  return {
    host,
    network: { initial: options.network, bounds },
    workspace,
    create,
    list: () => [...sandboxes.values()].map(({ status }) => status),
    usage: async (name) => existing(name).usage(),
    observe: async (name, call) => existing(name).observe(call),
    sleep: async (name) => existing(name).sleep(),
    revision,
    async setNetwork(name, requested) {
      const network = copyInput(requested)
      await requireWithin(network, bounds)
      const sandbox = existing(name)
      revise(name)
      await sandbox.setNetwork(network)
    },
    snapshot,
    disk: {
      used: () => sessionDisk?.used() ?? 0,
      left: () => sessionDisk?.left() ?? unlimited,
      requireRoom,
    },
    holdSnapshot,
    snapshots: () => [...held],
    removeSnapshot,
    checkpoint: checkpoints.checkpoint,
    restore: checkpoints.restore,
    dropCheckpoint: checkpoints.drop,
    fork,
    ...moves,
    async transfer(from, to, transferOptions = {}) {
      const { transfer } = await import("../transfer/transfer.ts")
      const done = await transfer(await openPath(from), await openPath(to), transferOptions)
      emit({
        ...{ kind: "files-transferred", sandbox: from.sandbox, path: from.path, to: to.sandbox },
        ...{ toPath: to.path, bytes: done.bytes, at: clock.now() },
      })
      return done
    },
    destroySandbox,
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close,
    destroy,
    [Symbol.asyncDispose]: close,
  }
}
