import { writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { type Capabilities, type Network, ToolFailure } from "../../../contract/index.ts"
import { type Clock, systemClock } from "../../../kit/index.ts"
import { makeDirectories, ownerOf } from "../../../node/index.ts"
import { createProgramInjector } from "../../agent/commands/inject-programs.ts"
import { watchedHome } from "../../agent/directory/home-stack.ts"
import { layersThatFit } from "../../agent/directory/overlay-options.ts"
import { exchangeName } from "../../agent/directory/remove-abandoned.ts"
import { createSweep } from "../../agent/directory/remove-unused-layers.ts"
import { type OwnDirectory, openOwnDirectory } from "../../agent/directory/sandbox-directory.ts"
import { removeRecord } from "../../agent/directory/snapshot-records.ts"
import { createStoredSizes, storedUse } from "../../agent/directory/stored-sizes.ts"
import { networkDeps } from "../../agent/network/sandbox-network.ts"
import { chooseLimits, heldLimits } from "../../host/choose-limits.ts"
import type { Host, HostStatus, Sandbox, SandboxSpec } from "../../host/host.ts"
import { accountFiles } from "../../host/sandbox-user.ts"
import { requireNetwork, requireSnapshots, walledCapabilities } from "../../host/unsupported.ts"
import { sandboxLimits } from "../../limits.ts"
import type { Dialer } from "../../network/dialer.ts"
import { claimShared } from "../../owners/abandoned.ts"
import { makeWalkable } from "../../owners/shared-directory.ts"
import { injectNode } from "../../programs/inject-node.ts"
import { nodeLanguages } from "../../programs/injected-node.ts"
import { findRipgrep, placeRipgrep } from "../../programs/ripgrep.ts"
import { checkBinds } from "./check-binds.ts"
import { type ContainerPaths, localMounts } from "./container-settings.ts"
import { connectEngine } from "./engine.ts"
import { examineEngine, identify } from "./examine-engine.ts"
import { createHelper } from "./helper-container.ts"
import { canLayer } from "./home-mount.ts"
import { podmanEngine } from "./podman-engine.ts"
import {
  addressOf,
  isElsewhere,
  mustBeElsewhere,
  refuseElsewhere,
  remoteCapabilities,
  requireReadOnly,
} from "./remote/elsewhere.ts"
import { type Uploaded, uploadDirectory } from "./remote/upload-directory.ts"
import { removeLeftovers } from "./remove-leftovers.ts"
import { startContainer } from "./start-container.ts"

export interface DockerHostOptions {
  /** The default image of sandboxes. The engine must have it; none is pulled. */
  readonly image: string
  /** Where sandboxes store their files; an engine that does not have this directory stores their homes itself. */
  readonly directory: string
  /** Where the engine listens; found when absent: by DOCKER_HOST, else where Docker or Podman listen by default. */
  readonly socketPath?: string
  /** The same as DOCKER_HOST has it, also for an engine elsewhere: "tcp://build.example:2376", "ssh://build.example". */
  readonly address?: string
  /** An image with Node, for an engine elsewhere on whose machine this process's own Node does not run. */
  readonly keeperImage?: string
  /** Another runtime that the engine knows. */
  readonly runtime?: string
  /** More of this machine to show inside, as the engine writes it: "/opt/data:/data:ro". */
  readonly binds?: readonly string[]
  /** Connects to the network; tests pass their own. */
  readonly dialer?: Dialer
  readonly clock?: Clock
}

/** Containers of Docker or Podman. */
export function dockerHost(options: DockerHostOptions): Host {
  const { directory, clock = systemClock } = options
  const here = capabilities(canLayer(directory))
  const injector = createProgramInjector({
    directory: join(directory, "shared"),
    path: process.env.PATH ?? "",
  })
  const binds = options.binds ?? []
  /** Until the engine was asked, what its address says. */
  let isRemote = mustBeElsewhere(options)
  const can = () => (isRemote ? remoteCapabilities(here, options) : here)
  let requireUnchanged: (() => void) | null = null
  const sizes = createStoredSizes(directory)
  let opened: ReturnType<typeof open> | null = null

  async function open() {
    const address = addressOf(options)
    const connected = await connectEngine({ address, clock })
    const information = await connected.information()
    const identity = identify(information)
    examineEngine(information)
    for (const path of [directory, join(directory, "shared")]) makeWalkable(path)
    claimShared(join(directory, "shared"))
    isRemote = await isElsewhere(connected, { information, options })
    if (isRemote) refuseElsewhere({ identity, information, options })
    const defaultRuntime = information.DefaultRuntime
    const engine =
      identity.name === "Podman"
        ? podmanEngine(connected, { directory, defaultRuntime })
        : connected
    const helper = createHelper({ ...options, engine })
    await removeLeftovers(engine, directory, helper.remove)
    const uploads = new Map<string, Promise<Uploaded>>()
    /** Once for a process: it has what it has put there. */
    const upload = (path: string) => {
      const known = uploads.get(path)
      if (known) return known
      const uploading = uploadDirectory(path, { engine, image: options.image })
      uploads.set(path, uploading)
      uploading.catch(() => uploads.delete(path))
      return uploading
    }
    let programs: Promise<Uploaded | null> | null = null
    /** None where they would not run; and once, because what is being uploaded must not change. */
    const uploadPrograms = () => {
      programs ??= (
        options.keeperImage === undefined
          ? preparePrograms(directory).then(upload)
          : Promise.resolve(null)
      ).catch((error: unknown) => {
        programs = null
        throw error
      })
      return programs
    }
    const sweep = createSweep(directory, helper.remove)
    return { engine, identity, address, helper, sweep, upload, uploadPrograms }
  }
  const engineOnce = () => {
    opened ??= open().catch((error) => {
      opened = null
      throw error
    })
    return opened
  }

  async function create(wanted: SandboxSpec): Promise<Sandbox> {
    const { name, image, keptAs, from } = wanted
    const { engine, helper, sweep, upload, uploadPrograms } = await engineOnce()
    await requireNetwork(can(), wanted.network)
    if (from !== undefined) requireSnapshots(can())
    const chosen = chooseLimits({ host: "docker" }, can().limits, wanted.limits)
    const deps = { shared: directory, sweep, remove: helper.remove }
    if (isRemote) {
      requireReadOnly(binds)
      const { createRemoteSandbox } = await import("./remote/remote-sandbox.ts")
      return createRemoteSandbox(wanted, {
        ...{ engine, clock, injector, upload, binds, dialer: options.dialer },
        can: { ...can(), limits: chosen },
        image: image ?? options.image,
        runtime: options.runtime ?? null,
        keeperImage: options.keeperImage ?? null,
        programs: await uploadPrograms(),
        own: await openOwnDirectory({ keptAs, from }, deps),
      })
    }
    requireUnchanged ??= checkBinds(binds)
    const own = await openOwnDirectory({ keptAs, from }, deps)
    const spec = () => ({
      image: image ?? options.image,
      // Sandboxes created from each other's snapshots share one user, whose processes are counted together.
      identity: { ...own, isOwn: own.isOwn && own.stack().layers.length === 0 },
      owner: ownerOf(process.pid),
      runtime: options.runtime ?? null,
      binds,
      limits: heldLimits(chosen),
    })
    const container = `toolkeep-${basename(own.path)}`
    const start = (network: Network["kind"]) =>
      injector.start(image ?? options.image, (injected) => {
        requireUnchanged?.()
        const paths = preparePaths(directory, own)
        const settings = { ...spec(), injected, network, mounts: localMounts(paths, injected) }
        const { exchange } = paths
        return startContainer({ name: container, exchange, spec: settings, engine, clock })
      })
    const layering = {
      mostLayers: layersThatFit(join(own.path, "home_000000000000"), sandboxLimits.snapshotDepth),
      merge: helper.merge,
    }
    const { path, discard, remove } = own
    // Loaded on first use: other hosts do not pay for this one.
    const { createAgentSandbox } = await import("../../agent/create-agent-sandbox.ts")
    return createAgentSandbox({
      name,
      image: image ?? options.image,
      can: { ...here, limits: chosen },
      clock,
      directory: path,
      isEmpty: own.isEmpty,
      start,
      discard,
      remove,
      holdFiles: (temporary) => own.snapshot(layering, temporary),
      recordFiles: async (recording) => {
        const { recordFiles } = await import("../../agent/checkpoint/record-files.ts")
        return recordFiles({ own, shared: directory, remove: helper.remove }, recording)
      },
      freeLayers: () => own.freeLayers(layering),
      watchedHome: process.platform === "linux" ? watchedHome(own.stack) : undefined,
      room: wanted.room,
      sharedUse: () => sizes.ofSandbox(path),
      reach: networkDeps(wanted, {
        user: own.isOwn ? own.user : null,
        programs: programsIn(directory),
        dialer: options.dialer,
      }),
    })
  }

  async function probe(): Promise<HostStatus> {
    try {
      const sandbox = await create({ name: "probe" })
      await sandbox.destroy()
      const { identity, address } = await engineOnce()
      return { kind: "ready", detail: `${identity.name} ${identity.version} at ${address.shown}` }
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      const { message, expected } = error
      const remedy = expected ? `The image has to be ${expected}.` : "Mend it, or use another host."
      return { kind: "unavailable", reason: message, remedy }
    }
  }

  return {
    name: "docker",
    summary:
      "Containers of Docker or Podman: any image's programs, own files and processes, the network you allow, limits kept by the kernel.",
    get can() {
      return can()
    },
    canPrepare: "temporary",
    probe,
    images: async () => {
      const known = await (await engineOnce()).engine.images()
      return [options.image, ...known.filter((name) => name !== options.image)]
    },
    async removeSnapshot(id) {
      removeRecord(directory, id)
      await (await engineOnce()).sweep()
    },
    storedUse: (stored) => storedUse(directory, sizes, stored),
    create,
  }
}

/** What sandboxes share, read-only. */
function programsIn(shared: string): string {
  return join(shared, "shared", "bin")
}

function preparePaths(shared: string, own: OwnDirectory): ContainerPaths {
  const { path } = own
  const etc = join(path, "etc")
  makeDirectories(etc, 0o755)
  for (const [name, content] of Object.entries(accountFiles(own))) {
    writeFileSync(join(etc, name), content, { mode: 0o644 })
  }
  const programs = placePrograms(shared)
  const shown = { stack: own.stack(), isKept: own.isKept() }
  return { ...shown, etc, programs, exchange: join(path, exchangeName) }
}

function placePrograms(shared: string): string {
  const programs = programsIn(shared)
  makeDirectories(programs, 0o755)
  placeRipgrep(join(programs, "rg"))
  return programs
}

/** For an engine elsewhere: all at once, because they are uploaded. */
async function preparePrograms(shared: string): Promise<string> {
  const programs = placePrograms(shared)
  await injectNode(programs)
  return programs
}

function capabilities(snapshots: boolean): Capabilities {
  const { memoryBytes, diskBytes, processes, processors } = sandboxLimits
  return {
    host: "docker",
    isolation: "container",
    ...walledCapabilities,
    // Where an image has no program for it, opening one fails and says which.
    terminal: true,
    languages: { ...nodeLanguages(), bash: ["bash", "-c", "--"] },
    snapshots,
    checkpoints: snapshots,
    ripgrep: findRipgrep() === null ? null : "/run/toolkeep-bin/rg",
    limits: { memoryBytes, diskBytes, processes, processors },
  }
}
