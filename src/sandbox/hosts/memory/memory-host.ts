import type { Capabilities } from "../../../contract/index.ts"
import { createId } from "../../../kit/index.ts"
import { chooseLimits } from "../../host/choose-limits.ts"
import type { Host } from "../../host/host.ts"
import { requireImage, requireNetwork, unknownSnapshot } from "../../host/unsupported.ts"
import { memoryHostLimits } from "../../limits.ts"
import type { FrozenTree } from "./disk/frozen-tree.ts"

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
  const checkpoints = new Map<string, FrozenTree>()
  const recorded = (id: string) => {
    const files = checkpoints.get(id)
    if (files) return files
    throw unknownSnapshot(id, [...checkpoints.keys()])
  }
  const can: Capabilities = {
    host: "memory",
    isolation: "virtual",
    liveOutput: false,
    shell: {
      name: "virtual bash",
      lacks: [
        ...[
          "programs beside its own commands (no node, python, git or npm)",
          "trap",
          "kill",
          "coproc",
        ],
        ...["select", "job control (jobs, fg, bg, disown)"],
        "the exit codes of commands run with & (wait answers 0, and the next command starts when they have ended)",
      ],
    },
    argumentLists: true,
    fileModes: true,
    networks: ["none"],
    background: false,
    ports: false,
    languages: { bash: ["bash", "-c"] },
    sleep: true,
    snapshots: false,
    checkpoints: true,
    durable: false,
    home: "/home/user",
    images: ["virtual"],
    imageRemedy:
      "The memory host has no images: use --host docker, or --host bubblewrap with images in toolkeep.yaml.",
    // The virtual rg differs from ripgrep in too much: searches use the virtual find and grep.
    ripgrep: null,
    limits: { memoryBytes, diskBytes, processes: null, processors: null },
  }
  return {
    name: "memory",
    can,
    summary:
      "Virtual bash in this process: starts at once, touches nothing, runs no real programs.",
    probe: async () => ({ kind: "ready" }),
    images: async () => ["virtual"],
    removeSnapshot: async (id) => {
      recorded(id).release()
      checkpoints.delete(id)
    },
    create: async ({ name, image, network, limits: request, from }) => {
      requireImage(image, ["virtual"], can)
      const files = from === undefined ? null : recorded(from)
      await requireNetwork(can, network)
      const chosen = chooseLimits({ host: can.host }, can.limits, request)
      // Loaded on first use: other hosts do not pay for this one.
      const { createMemorySandbox } = await import("./memory-sandbox.ts")
      return createMemorySandbox({
        name,
        can: { ...can, limits: chosen },
        diskBytes: chosen.diskBytes ?? diskBytes,
        memoryBytes: chosen.memoryBytes ?? memoryBytes,
        threads,
        files,
        store(frozen) {
          const id = createId("checkpoint")
          checkpoints.set(id, frozen)
          return id
        },
      })
    },
  }
}
