import { join } from "node:path"
import type { Capabilities } from "../../../contract/index.ts"
import type { Clock } from "../../../kit/index.ts"
import { createProgramInjector } from "../../agent/commands/inject-programs.ts"
import { openPipeStock } from "../../agent/commands/pipe-stock.ts"
import type { HomeStack } from "../../agent/directory/home-stack.ts"
import { watchedHome } from "../../agent/directory/home-stack.ts"
import { removeTree } from "../../agent/directory/remove-tree.ts"
import { createSweep } from "../../agent/directory/remove-unused-layers.ts"
import { openOwnDirectory } from "../../agent/directory/sandbox-directory.ts"
import { removeRecord } from "../../agent/directory/snapshot-records.ts"
import { createStoredSizes, storedUse } from "../../agent/directory/stored-sizes.ts"
import { networkDeps } from "../../agent/network/sandbox-network.ts"
import { type Controllers, createControlGroup } from "../../confine/control-groups.ts"
import { chooseLimits, heldLimits, temporaryBytesOf } from "../../host/choose-limits.ts"
import type { Host, Sandbox, SandboxSpec } from "../../host/host.ts"
import { sandboxLimits } from "../../limits.ts"
import type { Dialer } from "../../network/dialer.ts"
import { claimShared } from "../../owners/abandoned.ts"
import { createBubblewrapSandbox } from "./bubblewrap-sandbox.ts"
import { createMountCheck } from "./check-mounts.ts"
import { type ImageRoot, imageLanguages, imagePrograms } from "./images/image-root.ts"
import type { ImageStoreOptions } from "./images/image-store.ts"
import type { UnpackSandbox } from "./images/unpack-image.ts"
import { mergeHome } from "./mount-home.ts"
import { prepareFiles, type SharedFiles } from "./prepare-files.ts"
import { groupName, removeLeftovers } from "./remove-leftovers.ts"

/** What this machine has for sandboxes. */
export interface Machine {
  readonly can: Capabilities
  readonly controllers: Controllers | null
}

export interface SandboxesOptions {
  readonly directory: string
  readonly images: Readonly<Record<string, string>>
  readonly hidden: readonly string[]
  readonly clock: Clock
  readonly path: string
  readonly dialer: Dialer | undefined
  readonly machine: () => Machine
}

type ImageSandboxSpec = SandboxSpec & { readonly image: string }

/** The sandboxes of one bubblewrap host, and the files that they leave. */
export interface BubblewrapSandboxes
  extends Pick<Host, "removeSnapshot">,
    Required<Pick<Host, "storedUse">>,
    Pick<ImageStoreOptions, "withUnpackSandbox"> {
  create(spec: ImageSandboxSpec, root: ImageRoot): Promise<Sandbox>
}

export function createSandboxes(options: SandboxesOptions): BubblewrapSandboxes {
  const { directory, images, hidden, clock, path, dialer, machine } = options
  let cleaned: Promise<void> | null = null
  let files: SharedFiles | null = null
  const pipes = openPipeStock(join(directory, "shared", "pipes"))
  const sweep = createSweep(directory, removeTree)
  const sizes = createStoredSizes(directory)
  const injector = createProgramInjector({ directory: join(directory, "shared"), path })
  const checkMounts = createMountCheck({ hidden: [directory, ...hidden], images })

  async function make(spec: ImageSandboxSpec, root: ImageRoot): Promise<UnpackSandbox> {
    const { name, image, keptAs, from, isKeptLater } = spec
    const { can: defaults, controllers } = machine()
    const chosen = chooseLimits({ host: defaults.host }, defaults.limits, spec.limits)
    const held = heldLimits(chosen)
    if (!files) claimShared(join(directory, "shared"))
    files ??= prepareFiles(directory, path)
    const mounts = checkMounts(spec.mounts ?? [], root)
    cleaned ??= removeLeftovers(directory, controllers)
    await cleaned
    const own = await openOwnDirectory({ keptAs, from, isKeptLater }, { shared: directory, sweep })
    const layering = {
      mostLayers: sandboxLimits.snapshotDepth,
      merge: (stack: HomeStack, target: string) => mergeHome({ stack, shared: directory }, target),
    }
    const user = own.isOwn ? own.user : null
    const sandbox = await createBubblewrapSandbox({
      name,
      image,
      root,
      can: {
        ...{ ...defaults, ...imagePrograms(root) },
        ...{ languages: imageLanguages(root), limits: chosen },
      },
      clock,
      directory: own.path,
      shared: directory,
      ...{ stack: own.stack, isKept: own.isKept, isEmpty: own.isEmpty },
      ...{ discard: own.discard, remove: own.remove, keep: own.keep },
      holdFiles: (temporary) => own.snapshot(layering, temporary),
      // Loaded on first use: few sandboxes are recorded.
      recordFiles: async (recording) => {
        const { recordFiles } = await import("../../agent/checkpoint/record-files.ts")
        return recordFiles({ own, shared: directory, remove: removeTree }, recording)
      },
      freeLayers: () => own.freeLayers(layering),
      watchedHome: watchedHome(own.stack),
      room: spec.room,
      sharedUse: () => sizes.ofSandbox(own.path),
      files,
      pipes,
      injector,
      mounts,
      temporaryBytes: temporaryBytesOf(held.memoryBytes),
      processes: held.processes,
      user,
      reach: networkDeps(spec, { user, programs: files.programs, dialer }),
      createGroup: () => controllers && createControlGroup(controllers, groupName(own.path), held),
    })
    return { sandbox, home: own.stack().writable }
  }

  return {
    create: async (spec, root) => (await make(spec, root)).sandbox,
    async withUnpackSandbox(use) {
      const { sandbox, home } = await make({ name: "image", image: "host" }, { kind: "host" })
      try {
        return await use({ sandbox, home })
      } finally {
        await sandbox.destroy()
      }
    },
    async removeSnapshot(id) {
      removeRecord(directory, id)
      await sweep()
    },
    storedUse: async (stored) => storedUse(directory, sizes, stored),
  }
}
