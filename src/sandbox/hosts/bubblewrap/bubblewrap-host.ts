import { join, resolve } from "node:path"
import { type Capabilities, ToolFailure } from "../../../contract/index.ts"
import { type Clock, systemClock } from "../../../kit/index.ts"
import { createProgramInjector } from "../../agent/commands/inject-programs.ts"
import { openPipeStock } from "../../agent/commands/pipe-stock.ts"
import type { HomeStack } from "../../agent/directory/home-stack.ts"
import { removeTree } from "../../agent/directory/remove-tree.ts"
import { createSweep } from "../../agent/directory/remove-unused-layers.ts"
import { openOwnDirectory } from "../../agent/directory/sandbox-directory.ts"
import { removeRecord } from "../../agent/directory/snapshot-records.ts"
import { createStoredSizes, storedUse } from "../../agent/directory/stored-sizes.ts"
import { networkDeps } from "../../agent/network/sandbox-network.ts"
import { createControlGroup, findControllers } from "../../confine/control-groups.ts"
import { chooseLimits } from "../../host/choose-limits.ts"
import { heldLimits, temporaryBytesOf } from "../../host/effective-limits.ts"
import type { Host, HostStatus, SandboxSpec } from "../../host/host.ts"
import { requireImage, requireNetwork, requireSnapshots } from "../../host/unsupported.ts"
import { sandboxLimits } from "../../limits.ts"
import type { Dialer } from "../../network/dialer.ts"
import { claimShared } from "../../owners/abandoned.ts"
import { createMountCheck } from "./check-mounts.ts"
import { examineMachine, rememberSuccess } from "./examine-machine.ts"
import { type ImageRoot, imageLanguages } from "./images/image-root.ts"
import { createImageStore } from "./images/image-store.ts"
import type { UnpackSandbox } from "./images/unpack-image.ts"
import { canLayer, mergeHome } from "./mount-home.ts"
import { prepareFiles, type SharedFiles } from "./prepare-files.ts"
import { groupName, removeLeftovers } from "./remove-leftovers.ts"

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
  let known: { can: Capabilities; controllers: ReturnType<typeof findControllers> } | null = null
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

  let cleaned: Promise<void> | null = null
  let files: SharedFiles | null = null
  const pipes = openPipeStock(join(directory, "shared", "pipes"))
  const sweep = createSweep(directory, removeTree)
  const sizes = createStoredSizes(directory)
  const injector = createProgramInjector({ directory: join(directory, "shared"), path })
  const mountCheck = createMountCheck({ hidden: [directory, ...hidden], images })
  const store = createImageStore({
    sources: images,
    directory: join(directory, "images"),
    withUnpackSandbox: async (use) => {
      const { sandbox, home } = await make({ name: "image", image: "host" }, { kind: "host" })
      try {
        return await use({ sandbox, home })
      } finally {
        await sandbox.destroy()
      }
    },
  })

  async function create(spec: SandboxSpec) {
    const image = requireImage(spec.image, store.names)
    await requireNetwork(machine().can, spec.network)
    if (spec.from !== undefined) requireSnapshots(machine().can)
    const { sandbox } = await make({ ...spec, image }, await store.open(image))
    return sandbox
  }

  async function make(
    spec: SandboxSpec & { readonly image: string },
    root: ImageRoot,
  ): Promise<UnpackSandbox> {
    const { name, image, keptAs, from } = spec
    const { createBubblewrapSandbox } = await import("./bubblewrap-sandbox.ts")
    const { can: defaults, controllers } = machine()
    const chosen = chooseLimits(defaults.host, defaults.limits, spec.limits)
    const held = heldLimits(chosen)
    if (!files) claimShared(join(directory, "shared"))
    files ??= prepareFiles(directory, path)
    const mounts = mountCheck.check(spec.mounts ?? [], root)
    cleaned ??= removeLeftovers(directory, controllers)
    await cleaned
    const own = await openOwnDirectory({ keptAs, from }, { shared: directory, sweep })
    const layering = {
      mostLayers: sandboxLimits.snapshotDepth,
      merge: (stack: HomeStack, target: string) => mergeHome({ stack, shared: directory }, target),
    }
    const user = own.isOwn ? own.user : null
    const sandbox = await createBubblewrapSandbox({
      name,
      image,
      root,
      can: { ...defaults, languages: imageLanguages(root), limits: chosen },
      clock,
      directory: own.path,
      shared: directory,
      ...{ stack: own.stack, isKept: own.isKept, isEmpty: own.isEmpty },
      ...{ discard: own.discard, remove: own.remove },
      holdFiles: () => own.snapshot(layering),
      freeLayers: () => own.freeLayers(layering),
      room: spec.room,
      sharedUse: () => sizes.ofSandbox(own.path),
      files,
      pipes,
      injector,
      mounts,
      temporaryBytes: temporaryBytesOf(held.memoryBytes),
      processes: held.processes,
      user,
      reach: networkDeps(spec, { user, programs: files.programs, dialer: options.dialer }),
      createGroup: () => controllers && createControlGroup(controllers, groupName(own.path), held),
    })
    return { sandbox, home: own.stack().writable }
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
    probe,
    images: async () => store.names,
    async removeSnapshot(id) {
      removeRecord(directory, id)
      await sweep()
    },
    storedUse: (stored) => storedUse(directory, sizes, stored),
    async create(spec) {
      const problem = examineMachine(path, directory)
      if (!problem) return create(spec)
      const message = `${problem.reason} ${problem.remedy}`
      throw new ToolFailure({ kind: "unavailable", message, retryable: false })
    },
  }
}

function cannotStart(error: unknown): HostStatus {
  const reason = error instanceof Error ? error.message : String(error)
  return {
    kind: "unavailable",
    reason: `A sandbox can't be made here: ${reason.replace(/\.?$/, ".")}`,
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
    liveOutput: true,
    argumentLists: true,
    fileModes: true,
    networks: ["none", "allow-list", "full"],
    background: true,
    ports: true,
    languages: imageLanguages(defaults),
    sleep: true,
    snapshots,
    durable: true,
    home: "/home/user",
    images,
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
