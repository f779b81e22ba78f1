import { createId } from "../../kit/index.ts"
import type { DiskShare, Host, Sandbox, SandboxSpec } from "../host/host.ts"
import type { WarmHost, WarmOptions } from "../host/warm.ts"
import { warmLimits } from "../limits.ts"

/** A sandbox that nobody has asked for yet. What it tells its owner waits for one. */
interface WarmSandbox {
  readonly sandbox: Sandbox
  /** What it would be persisted by; undefined where the host can't do that afterwards. */
  readonly keptAs: string | undefined
  readonly owned: { spec: SandboxSpec | null }
}

const unlimited: DiskShare = { bytes: Number.POSITIVE_INFINITY, reason: "" }

/**
 * The same host, with a few default sandboxes that are made while nothing runs. A request for such a sandbox gets one of
 * them. They belong to this process like all others: what a killed process leaves, the next one removes.
 */
export function warmHost(host: Host, options: WarmOptions): WarmHost {
  if (host.keepWarm) return host.keepWarm(options)
  const { sandboxes: most, clock, isBusy } = options
  const { availableMemory = () => process.availableMemory() } = options
  const warm: WarmSandbox[] = []
  /** Those whose word somebody has, who creates them right after. */
  const reserved = new Map<string, WarmSandbox>()
  let askedMs = clock.now()
  let making: Promise<void> | null = null
  let isClosed = false
  let cancelLook = () => {}

  function lookAfter(milliseconds: number): void {
    cancelLook()
    cancelLook = isClosed ? () => {} : clock.after(milliseconds, look, "idle")
  }

  function look(): void {
    const isIdle = clock.now() - askedMs >= warmLimits.idleMs
    if (isIdle || availableMemory() < warmLimits.memoryBytesLeast) {
      void removeAll()
      // The next request starts it again.
      if (!isIdle) lookAfter(warmLimits.lookMs)
    } else if (warm.length >= most) lookAfter(warmLimits.lookMs)
    else if (isBusy()) lookAfter(warmLimits.refillMs)
    else making ??= make().finally(() => (making = null))
  }

  async function make(): Promise<void> {
    try {
      warm.push(await prepare(host))
      lookAfter(warmLimits.refillMs)
    } catch {
      // The next request says what is wrong, and starts it again.
    }
  }

  async function removeAll(): Promise<void> {
    const all = [...warm.splice(0), ...reserved.values()]
    reserved.clear()
    await Promise.allSettled(all.map(({ sandbox }) => sandbox.destroy()))
  }

  function reserveKept(request: Omit<SandboxSpec, "name" | "keptAs">): string | undefined {
    if (host.canPrepare !== "kept" || !isDefault(request)) return undefined
    const found = warm.shift()
    if (found?.keptAs === undefined) return undefined
    reserved.set(found.keptAs, found)
    return found.keptAs
  }

  /** One that was persisted before is not among them. */
  function take(spec: SandboxSpec): WarmSandbox | undefined {
    const { keptAs } = spec
    if (keptAs === undefined) return isDefault(spec) ? warm.shift() : undefined
    const found = reserved.get(keptAs)
    reserved.delete(keptAs)
    return found
  }

  async function create(spec: SandboxSpec): Promise<Sandbox> {
    const found = take(spec)
    askedMs = clock.now()
    lookAfter(warmLimits.refillMs)
    return found ? handOut(found, spec) : host.create(spec)
  }

  lookAfter(warmLimits.startMs)
  return {
    name: host.name,
    summary: host.summary,
    // Asked for only where it is needed: a host may have to look at the machine for it.
    get can() {
      return host.can
    },
    probe: () => host.probe(),
    images: () => host.images(),
    create,
    reserveKept,
    removeSnapshot: (id) => host.removeSnapshot(id),
    ...(host.storedUse && { storedUse: host.storedUse.bind(host) }),
    ready: () => warm.length,
    async close() {
      isClosed = true
      cancelLook()
      await making
      await removeAll()
    },
  }
}

/** Whether a sandbox that was made without a request is what this one would get. */
function isDefault(request: Omit<SandboxSpec, "name" | "keptAs">): boolean {
  const { image, limits, from, mounts = [], network } = request
  const isPlain = [image, limits, from].every((requested) => requested === undefined)
  // The machine's own network is given to a sandbox when it starts.
  return isPlain && mounts.length === 0 && network?.kind !== "full"
}

async function prepare(host: Host): Promise<WarmSandbox> {
  const owned: WarmSandbox["owned"] = { spec: null }
  const keptAs = host.canPrepare === "kept" ? createId("pool") : undefined
  const sandbox = await host.create({
    name: "warm",
    ...(keptAs !== undefined && { keptAs, isKeptLater: true }),
    room: {
      most: () => owned.spec?.room?.most() ?? unlimited,
      refresh: async () => owned.spec?.room?.refresh(),
    },
    onNetwork: (decision) => owned.spec?.onNetwork?.(decision),
  })
  return { sandbox, keptAs, owned }
}

async function handOut({ sandbox, owned }: WarmSandbox, spec: SandboxSpec): Promise<Sandbox> {
  owned.spec = spec
  try {
    if (spec.network?.kind === "allow-list") await sandbox.setNetwork(spec.network)
    if (spec.keptAs !== undefined) sandbox.keep?.()
    return { ...sandbox, name: spec.name }
  } catch (error) {
    await sandbox.destroy()
    throw error
  }
}
