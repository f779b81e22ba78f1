import { join, resolve } from "node:path"
import type { Capabilities } from "../../../contract/index.ts"
import { type Clock, errorText, systemClock } from "../../../kit/index.ts"
import { findControllers } from "../../confine/control-groups.ts"
import type { Host, HostStatus, SandboxSpec } from "../../host/host.ts"
import {
  permanentFailure,
  requireImage,
  requireNetwork,
  requireSnapshots,
  walledCapabilities,
} from "../../host/unsupported.ts"
import { sandboxLimits } from "../../limits.ts"
import type { Dialer } from "../../network/dialer.ts"
import type { BubblewrapSandboxes, Machine } from "./bubblewrap-sandboxes.ts"
import { examineMachine, rememberSuccess } from "./examine-machine.ts"
import { type ImageRoot, imageLanguages, imagePrograms } from "./images/image-root.ts"
import { createImageStore } from "./images/image-store.ts"
import { canLayer } from "./mount-home.ts"

export interface BubblewrapHostOptions {
  /** Where sandboxes store their files. Run by root, others must be able to walk to it. */
  readonly directory: string
  /**
   * Images for sandboxes by name: "host" for this machine's own programs; or the path of a root
   * file system's directory, of a tar of one, or of an image that `docker save` or an OCI tool wrote.
   * "host" is also one by its own name, and comes first where it is not named here.
   */
  readonly images?: Readonly<Record<string, string>>
  /** Directories of this machine that no mount may show any part of, besides `directory`. */
  readonly hidden?: readonly string[]
  readonly clock?: Clock
  /** Where programs are looked for. */
  readonly path?: string
  /** Connects to the network; tests pass their own. */
  readonly dialer?: Dialer
}

/** Linux namespaces, a seccomp filter and control groups: real programs behind a real wall. */
export function bubblewrapHost(options: BubblewrapHostOptions): Host {
  const { images = {}, hidden = [], clock = systemClock, path = process.env.PATH ?? "" } = options
  const directory = resolve(options.directory)
  // Looked for on first use: making a host costs nothing.
  let known: Machine | null = null
  const machine = () => {
    if (known) return known
    const controllers = findControllers()
    known = {
      controllers,
      can: capabilities(controllers !== null, {
        snapshots: canLayer(directory, path),
        images: store.names,
        defaults: store.known(store.names[0] ?? "host"),
      }),
    }
    return known
  }

  const store = createImageStore({
    sources: images,
    directory: join(directory, "images"),
    withUnpackSandbox: async (use) => (await sandboxes()).withUnpackSandbox(use),
  })
  let made: Promise<BubblewrapSandboxes> | null = null
  /** Loaded on first use: much that is asked of a host needs no sandbox. */
  const sandboxes = () => {
    made ??= import("./bubblewrap-sandboxes.ts").then(({ createSandboxes }) =>
      createSandboxes({ directory, images, hidden, clock, path, dialer: options.dialer, machine }),
    )
    return made
  }

  async function create(spec: SandboxSpec) {
    const image = requireImage(spec.image, store.names, machine().can)
    await requireNetwork(machine().can, spec.network)
    if (spec.from !== undefined) requireSnapshots(machine().can)
    return (await sandboxes()).create({ ...spec, image }, await store.open(image))
  }

  async function probe(): Promise<HostStatus> {
    const problem = examineMachine(path, directory)
    if (problem) return problem
    return rememberSuccess(directory, path, async () => {
      try {
        const sandbox = await create({ name: "probe" })
        await sandbox.destroy()
        return { kind: "ready" }
      } catch (error) {
        return cannotStart(error)
      }
    })
  }

  return {
    name: "bubblewrap",
    summary:
      "Linux namespaces: real programs of this machine, own files and processes, the network you allow, limits kept by the kernel.",
    get can() {
      return machine().can
    },
    canPrepare: "kept",
    probe,
    images: async () => store.names,
    removeSnapshot: async (id) => (await sandboxes()).removeSnapshot(id),
    storedUse: async (stored) => (await sandboxes()).storedUse(stored),
    async create(spec) {
      const problem = examineMachine(path, directory)
      if (!problem) return create(spec)
      throw permanentFailure(`${problem.reason} ${problem.remedy}`)
    },
  }
}

function cannotStart(error: unknown): HostStatus {
  return {
    kind: "unavailable",
    reason: `A sandbox can't be made here: ${errorText(error).replace(/\.?$/, ".")}`,
    remedy:
      "Most often user namespaces are switched off (sysctl kernel.unprivileged_userns_clone).",
  }
}

interface Found {
  readonly snapshots: boolean
  readonly images: readonly string[]
  /** The root of the default image; null while it is not known. */
  readonly defaults: ImageRoot | null
}

function capabilities(hasGroups: boolean, { snapshots, images, defaults }: Found): Capabilities {
  const { memoryBytes, diskBytes, processes, processors } = sandboxLimits
  return {
    host: "bubblewrap",
    isolation: "namespaces",
    ...walledCapabilities,
    languages: imageLanguages(defaults),
    ...imagePrograms(defaults),
    snapshots,
    checkpoints: snapshots,
    images,
    imageRemedy:
      'Provide it in toolkeep.yaml, such as images: { "{image}": ./image.tar }, with a tar that docker save wrote.',
    mounts: true,
    ripgrep: "/run/toolkeep-bin/rg",
    limits: {
      memoryBytes: hasGroups ? memoryBytes : null,
      diskBytes,
      processes: hasGroups ? processes : null,
      processors: hasGroups ? processors : null,
    },
  }
}
