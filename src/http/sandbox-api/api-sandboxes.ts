import { randomBytes } from "node:crypto"
import { type Network, ToolFailure } from "../../contract/index.ts"
import { type Clock, KeyedLock } from "../../kit/index.ts"
import { poolLimits, type SandboxLimitsRequest } from "../../sandbox/index.ts"
import type { Session, Toolkeep } from "../../session/index.ts"
import type { RecordStore } from "../../store/index.ts"
import { httpLimits } from "../limits.ts"
import type { OwnSessions } from "../sessions/own-sessions.ts"
import { createExpiry } from "./expiry.ts"
import type { StoredSandbox, StoredSandboxes } from "./stored-sandboxes.ts"

export interface NewSandbox extends Pick<StoredSandbox, "api"> {
  /** The host's default when absent. One that the host does not have is refused. */
  readonly image?: string | undefined
  readonly network?: Network | undefined
  /** Those that the host can't hold are refused. */
  readonly limits?: SandboxLimitsRequest | undefined
  readonly env?: StoredSandbox["env"] | undefined
  readonly metadata?: StoredSandbox["metadata"] | undefined
  readonly details?: StoredSandbox["details"] | undefined
  /** After this long it ends by itself; never when absent. */
  readonly lifeMs?: number | undefined
  /** It is paused then, and lives on. */
  readonly pausesAtEnd?: boolean | undefined
  /** A snapshot to start from. */
  readonly from?: string | undefined
}

/** A sandbox that can be used now. */
export interface UsableSandbox {
  readonly stored: StoredSandbox
  readonly session: Session
}

/** What becomes of a sandbox, from what it is when nothing else changes it. */
export type Change = (
  now: StoredSandbox,
) => Partial<Pick<StoredSandbox, "metadata" | "expiresMs" | "details">>

/** It can't be used before it is resumed. */
export class SandboxPaused extends ToolFailure {}

/**
 * The sandboxes of another API's clients. Each is the default sandbox of a recorded session with its id as the name, so
 * that the console, the record, questions and limits know it without anything else.
 */
export interface ApiSandboxes {
  create(sandbox: NewSandbox): Promise<StoredSandbox>
  /** The oldest first. */
  list(api: string): Promise<readonly StoredSandbox[]>
  /** Fails with not_found where the API has none of this id. */
  find(api: string, id: string): Promise<StoredSandbox>
  /** The same with its session; fails for one that is paused. */
  use(api: string, id: string): Promise<UsableSandbox>
  change(api: string, id: string, change: Change): Promise<StoredSandbox>
  /** What it may reach from now on; what it may reach now is kept where the same is returned. */
  changeNetwork(api: string, id: string, change: (now: Network) => Network): Promise<Network>
  /** False where it was paused before. */
  pause(api: string, id: string, change?: Change): Promise<boolean>
  /** Nothing but the change for one that is not paused. */
  resume(api: string, id: string, change?: Change): Promise<StoredSandbox>
  /** Ends everything in it and removes its files. The record of its session stays. */
  remove(api: string, id: string): Promise<void>
  /** Forgets the times at which sandboxes end; the next server knows them. */
  close(): void
}

export interface ApiSandboxesDeps {
  readonly toolkeep: Toolkeep
  readonly sessions: OwnSessions
  readonly store: RecordStore
  readonly stored: StoredSandboxes
  readonly clock: Clock
  /** Hears that a sandbox is gone. */
  readonly onGone: (id: string) => void
}

export function createApiSandboxes(deps: ApiSandboxesDeps): ApiSandboxes {
  const { toolkeep, sessions, store, stored, clock, onGone } = deps
  const { can, name: host } = toolkeep.host

  const locks = new KeyedLock()
  /** Those that are being removed: a request that used one would open its session again. */
  const ending = new Set<string>()

  /** One after the other: each change is made to what the one before it has left, and none to what is removed. */
  async function alone<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    const release = await locks.acquire(id, "exclusive")
    try {
      return await work()
    } finally {
      release()
    }
  }
  async function destroy({ id }: StoredSandbox): Promise<void> {
    ending.add(id)
    try {
      const session = sessions.open(id)
      const has = session.sandboxes.list().some(({ name }) => name === "default")
      if (has) await session.sandboxes.destroySandbox("default")
      await session.close()
      await forget(id)
    } finally {
      ending.delete(id)
    }
  }
  async function forget(id: string): Promise<void> {
    expiry.cancel(id)
    await stored.remove(id)
    onGone(id)
  }
  const expiry = createExpiry(clock, (id) =>
    alone(id, async () => {
      // Somebody may have given it more time, also another server of this home.
      const sandbox = await stored.read(id)
      if (!sandbox) return
      if (!isOver(sandbox, clock)) expiry.set(sandbox)
      else if (sandbox.pausesAtEnd) await rest(sandbox, { expiresMs: null })
      else await destroy(sandbox)
    }),
  )
  /** Nobody uses it from before it sleeps. One that does not fall asleep is as it was. */
  async function rest(sandbox: StoredSandbox, changed: ReturnType<Change>): Promise<void> {
    await write({ ...sandbox, ...changed, isPaused: true })
    try {
      await sessions.open(sandbox.id).sandboxes.sleep("default")
    } catch (error) {
      await write(sandbox)
      throw error
    }
  }
  /** A session that a person has deleted takes its sandbox with it. */
  async function isThere(sandbox: StoredSandbox): Promise<boolean> {
    const { id } = sandbox
    if (ending.has(id) || (isOver(sandbox, clock) && !sandbox.pausesAtEnd)) return false
    if (toolkeep.sessions().some(({ name }) => name === id)) return true
    if (await store.read(id)) {
      // The record stays of one that was removed meanwhile.
      return (await stored.read(id)) !== null && !ending.has(id)
    }
    await forget(id)
    return false
  }
  async function find(api: string, id: string): Promise<StoredSandbox> {
    const sandbox = await stored.read(id)
    if (sandbox?.api === api && (await isThere(sandbox))) return sandbox
    const message = `There is no sandbox ${JSON.stringify(id.slice(0, 100))}.`
    throw new ToolFailure({ kind: "not_found", message })
  }
  async function use(api: string, id: string): Promise<UsableSandbox> {
    const found = await find(api, id)
    if (!found.isPaused) return { stored: found, session: sessions.open(id) }
    const message = `The sandbox ${id} is paused. Resume it first.`
    throw new SandboxPaused({ kind: "rejected", message })
  }
  async function write(sandbox: StoredSandbox): Promise<StoredSandbox> {
    await stored.write(sandbox)
    expiry.set(sandbox)
    return sandbox
  }
  const wake = async (session: Session) => void (await (await session.workspace()).exists("."))

  void recover().catch(() => {})
  /** What an earlier server has left: it ends in time, and at once where its files are gone. */
  async function recover(): Promise<void> {
    for (const { id } of await stored.list()) {
      await alone(id, async () => {
        const sandbox = await stored.read(id)
        if (!can.durable) await forget(id)
        else if (sandbox) expiry.set(sandbox)
      })
    }
  }

  return {
    async create({ api, image, network, limits, env = {}, metadata = {}, details = {}, ...more }) {
      const id = `${api}-${randomBytes(12).toString("hex")}`
      const session = sessions.open(id)
      try {
        // The record says from the start that there is such a session.
        await session.record?.()
        await session.sandboxes.create({
          ...{ name: "default", image, network, limits, from: more.from },
          // What its client has started there goes on until its client ends it.
          sleepAfterMs: poolLimits.sleepAfterMsMost,
        })
        await wake(session)
        const createdMs = clock.now()
        return await write({
          ...{ id, api, image: image ?? null, env, metadata, details, createdMs },
          ...{ expiresMs: more.lifeMs === undefined ? null : createdMs + more.lifeMs },
          ...{ isPaused: false, pausesAtEnd: more.pausesAtEnd },
        })
      } catch (error) {
        await session.destroy().catch(() => {})
        throw error
      }
    },
    async list(api) {
      const own = (await stored.list()).filter((one) => one.api === api)
      const there = await Promise.all(own.map(async (one) => ((await isThere(one)) ? [one] : [])))
      return there.flat().toSorted((a, b) => a.createdMs - b.createdMs)
    },
    find,
    use,
    change: (api, id, change) =>
      alone(id, async () => {
        const sandbox = await find(api, id)
        return write({ ...sandbox, ...change(sandbox) })
      }),
    changeNetwork: (api, id, change) =>
      alone(id, async () => {
        const { sandboxes } = (await use(api, id)).session
        const own = sandboxes.list().find(({ name }) => name === "default")
        const now = own?.network ?? { kind: "none" }
        const network = change(now)
        if (network !== now) await sandboxes.setNetwork("default", network)
        return network
      }),
    pause: (api, id, change = () => ({})) =>
      alone(id, async () => {
        const sandbox = await find(api, id)
        if (!can.sleep) {
          const message = `The sandboxes of the ${host} host can't be paused.`
          throw new ToolFailure({ kind: "unavailable", message, retryable: false })
        }
        if (sandbox.isPaused) return false
        await rest(sandbox, change(sandbox))
        return true
      }),
    resume: (api, id, change = () => ({})) =>
      alone(id, async () => {
        const sandbox = await find(api, id)
        if (sandbox.isPaused) await wake(sessions.open(id))
        return write({ ...sandbox, ...change(sandbox), isPaused: false })
      }),
    remove: (api, id) => alone(id, async () => destroy(await find(api, id))),
    close: () => expiry.close(),
  }
}

function isOver({ expiresMs }: StoredSandbox, clock: Clock): boolean {
  return expiresMs !== null && expiresMs <= clock.now()
}

/** How long a sandbox may live, in words where that is too long. */
export function checkLife(lifeMs: number): number {
  const most = httpLimits.apiSandboxLifeMs
  if (Number.isSafeInteger(lifeMs) && lifeMs > 0 && lifeMs <= most) return lifeMs
  const message = `A sandbox lives from 1 ms to ${most / 86_400_000} days, or until it is deleted.`
  throw new ToolFailure({ kind: "invalid_args", message, field: "timeout" })
}
