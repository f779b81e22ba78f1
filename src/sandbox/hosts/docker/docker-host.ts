import { writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { type Capabilities, type Network, ToolFailure } from "../../../contract/index.ts"
import { type Clock, systemClock } from "../../../kit/index.ts"
import { makeDirectories, ownerOf } from "../../../node/index.ts"
import { createProgramInjector } from "../../agent/commands/inject-programs.ts"
import { layersThatFit } from "../../agent/directory/overlay-options.ts"
import { exchangeName } from "../../agent/directory/remove-abandoned.ts"
import { createSweep } from "../../agent/directory/remove-unused-layers.ts"
import { type OwnDirectory, openOwnDirectory } from "../../agent/directory/sandbox-directory.ts"
import { removeRecord } from "../../agent/directory/snapshot-records.ts"
import { createStoredSizes, storedUse } from "../../agent/directory/stored-sizes.ts"
import { networkDeps } from "../../agent/network/sandbox-network.ts"
import { chooseLimits, heldLimits } from "../../host/choose-limits.ts"
import type { Host, HostStatus, Sandbox, SandboxSpec } from "../../host/host.ts"
import { requireNetwork, requireSnapshots, walledCapabilities } from "../../host/unsupported.ts"
import { sandboxLimits } from "../../limits.ts"
import type { Dialer } from "../../network/dialer.ts"
import { claimShared } from "../../owners/abandoned.ts"
import { makeWalkable } from "../../owners/shared-directory.ts"
import { nodeLanguages } from "../../programs/injected-node.ts"
import { findRipgrep, placeRipgrep } from "../../programs/ripgrep.ts"
import { checkBinds } from "./check-binds.ts"
import type { ContainerPaths, Identity } from "./container-settings.ts"
import { connectEngine } from "./engine.ts"
import { examineEngine, findSocket } from "./examine-engine.ts"
import { createHelper } from "./helper-container.ts"
import { canLayer } from "./home-mount.ts"
import { podmanEngine } from "./podman-engine.ts"
import { removeLeftovers } from "./remove-leftovers.ts"
import { startContainer } from "./start-container.ts"

export interface DockerHostOptions {
  /** The default image of sandboxes. The engine must have it; none is pulled. */
  readonly image: string
  /** Where sandboxes store their files, on the machine that the engine runs on. */
  readonly directory: string
  /** Where the engine listens; found when absent: by DOCKER_HOST, else where Docker or Podman listen by default. */
  readonly socketPath?: string
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
  const can = capabilities(canLayer(directory))
  const injector = createProgramInjector({
    directory: join(directory, "shared"),
    path: process.env.PATH ?? "",
  })
  const binds = options.binds ?? []
  let requireUnchanged: (() => void) | null = null
  const sizes = createStoredSizes(directory)
  let opened: ReturnType<typeof open> | null = null

  async function open() {
    const socketPath = options.socketPath ?? findSocket({ environment: process.env })
    const connected = await connectEngine({ socketPath, clock })
    const [identity, information] = await Promise.all([
      connected.identity(),
      connected.information(),
    ])
    examineEngine(information, process.platform)
    for (const path of [directory, join(directory, "shared")]) makeWalkable(path)
    claimShared(join(directory, "shared"))
    const defaultRuntime = information.DefaultRuntime
    const engine =
      identity.name === "Podman"
        ? podmanEngine(connected, { directory, defaultRuntime })
        : connected
    const helper = createHelper({ ...options, engine })
    await removeLeftovers(engine, directory, helper.remove)
    return { engine, identity, socketPath, helper, sweep: createSweep(directory, helper.remove) }
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
    await requireNetwork(can, wanted.network)
    if (from !== undefined) requireSnapshots(can)
    const chosen = chooseLimits(can.host, can.limits, wanted.limits)
    requireUnchanged ??= checkBinds(binds)
    const { engine, helper, sweep } = await engineOnce()
    const deps = { shared: directory, sweep, remove: helper.remove }
    const own = await openOwnDirectory({ keptAs, from }, deps)
    const spec = () => ({
      image: image ?? options.image,
      paths: preparePaths(directory, own),
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
        const settings = { ...spec(), injected, network }
        return startContainer({ name: container, spec: settings, engine, clock })
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
      can: { ...can, limits: chosen },
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
      const { identity, socketPath } = await engineOnce()
      return { kind: "ready", detail: `${identity.name} ${identity.version} at ${socketPath}` }
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
    can,
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
  const { path, isKept } = own
  const etc = join(path, "etc")
  makeDirectories(etc, 0o755)
  for (const [name, content] of Object.entries(accounts(own))) {
    writeFileSync(join(etc, name), content, { mode: 0o644 })
  }
  const programs = programsIn(shared)
  makeDirectories(programs, 0o755)
  placeRipgrep(join(programs, "rg"))
  return { stack: own.stack(), isKept, etc, programs, exchange: join(path, exchangeName) }
}

function accounts({ user, group }: Identity): Readonly<Record<string, string>> {
  return {
    passwd: `root:x:0:0:root:/root:/bin/bash\nuser:x:${user}:${group}:user:/home/user:/bin/bash\n`,
    group: `root:x:0:\nuser:x:${group}:\n`,
  }
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
