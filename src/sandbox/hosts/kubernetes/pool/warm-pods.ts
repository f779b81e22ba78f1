import type { Host, Sandbox, SandboxSpec } from "../../../host/host.ts"
import type { WarmHost, WarmOptions } from "../../../host/warm.ts"
import { warmLimits } from "../../../limits.ts"
import type { PodPool } from "./pod-pool.ts"

export interface WarmPodsDeps {
  /** With pods of the default shape. */
  readonly openPool: (most: number) => Promise<PodPool>
  readonly create: (spec: SandboxSpec, pool: PodPool) => Promise<Sandbox>
}

/** The same host, with pods that are ready. Nodes make them, so that a call which runs here is not delayed. */
export function warmPods(host: Host, options: WarmOptions, deps: WarmPodsDeps): WarmHost {
  let opening: Promise<PodPool> | null = null
  let opened: PodPool | null = null
  const open = async () => {
    opening ??= deps.openPool(options.sandboxes)
    try {
      opened = await opening
      return opened
    } catch (error) {
      // The next request says what is wrong, and tries again.
      opening = null
      throw error
    }
  }
  const cancel = options.clock.after(warmLimits.startMs, () => void open().catch(() => {}), "idle")
  return {
    ...host,
    reserveKept: () => undefined,
    create: async (spec) => deps.create(spec, await open()),
    ready: () => opened?.ready() ?? 0,
    async close() {
      cancel()
      await opening?.catch(() => {})
      await opened?.close()
    },
  }
}
