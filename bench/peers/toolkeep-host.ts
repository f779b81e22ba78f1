import { setTimeout as delay } from "node:timers/promises"
import { systemClock } from "../../src/kit/index.ts"
import { createWorkspace, type Host, warmHost } from "../../src/sandbox/index.ts"
import type { Peer } from "./peer.ts"

/** Sandboxes of one of Toolkeep's hosts. */
export async function openHost(host: Host, wall: string): Promise<Peer> {
  const existing = await host.create({ name: "existing" })
  const workspace = createWorkspace(existing)
  return {
    wall,
    async createAndRun() {
      const sandbox = await host.create({ name: "fresh" })
      await createWorkspace(sandbox).exec("true")
      return () => sandbox.destroy()
    },
    exec: () => workspace.exec("true"),
    async hold() {
      const sandbox = await host.create({ name: "held" })
      return () => sandbox.destroy()
    },
    [Symbol.asyncDispose]: () => existing.destroy(),
  }
}

/** As servers have them: a few are made while nothing runs, so not while anything is measured. */
export async function openWarmHost(host: Host, wall: string): Promise<Peer> {
  let isBusy = false
  const warm = warmHost(host, { sandboxes: 2, clock: systemClock, isBusy: () => isBusy })
  const peer = await openHost(warm, wall)
  return {
    ...peer,
    async ready() {
      isBusy = false
      while (warm.ready() < 2) await delay(10)
      isBusy = true
    },
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]()
      await warm.close()
    },
  }
}
