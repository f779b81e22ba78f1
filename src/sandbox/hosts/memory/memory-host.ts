import type { Capabilities } from "../../../contract/index.ts"
import { chooseLimits } from "../../host/choose-limits.ts"
import type { Host } from "../../host/host.ts"
import { noSnapshots, requireImage, requireNetwork } from "../../host/unsupported.ts"
import { memoryHostLimits } from "../../limits.ts"

export interface MemoryHostOptions {
  /** How much the files of one sandbox may take. */
  readonly diskBytes?: number | undefined
  /** How much memory one command may use. */
  readonly memoryBytes?: number | undefined
  /** How many commands of one sandbox run at once; more wait. */
  readonly threads?: number | undefined
}

/** Sandboxes inside this process: a virtual bash over a file system in memory. Works everywhere. */
export function memoryHost(options: MemoryHostOptions = {}): Host {
  const {
    diskBytes = memoryHostLimits.diskBytes,
    memoryBytes = memoryHostLimits.memoryBytes,
    threads = memoryHostLimits.threads,
  } = options
  const can: Capabilities = {
    host: "memory",
    isolation: "virtual",
    liveOutput: false,
    argumentLists: true,
    fileModes: true,
    networks: ["none"],
    background: false,
    ports: false,
    languages: { bash: ["bash", "-c"] },
    sleep: true,
    snapshots: false,
    durable: false,
    home: "/home/user",
    images: ["virtual"],
    ripgrep: "rg",
    limits: { memoryBytes, diskBytes, processes: null, processors: null },
  }
  return {
    name: "memory",
    can,
    summary:
      "Virtual bash in this process: starts at once, touches nothing, runs no real programs.",
    probe: async () => ({ kind: "ready" }),
    images: async () => ["virtual"],
    removeSnapshot: noSnapshots("memory"),
    create: async ({ name, image, network, limits: request }) => {
      requireImage(image, ["virtual"])
      await requireNetwork(can, network)
      const chosen = chooseLimits(can.host, can.limits, request)
      // Loaded on first use: other hosts do not pay for this one.
      const { createMemorySandbox } = await import("./memory-sandbox.ts")
      return createMemorySandbox({
        name,
        can: { ...can, limits: chosen },
        diskBytes: chosen.diskBytes ?? diskBytes,
        memoryBytes: chosen.memoryBytes ?? memoryBytes,
        threads,
      })
    },
  }
}
