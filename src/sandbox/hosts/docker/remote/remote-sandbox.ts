import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Capabilities, Network } from "../../../../contract/index.ts"
import { type Clock, createId } from "../../../../kit/index.ts"
import { ownerOf } from "../../../../node/index.ts"
import type { InjectedPrograms, ProgramInjector } from "../../../agent/commands/inject-programs.ts"
import { exchangeName } from "../../../agent/directory/remove-abandoned.ts"
import type { OwnDirectory } from "../../../agent/directory/sandbox-directory.ts"
import { networkDeps } from "../../../agent/network/sandbox-network.ts"
import { heldLimits } from "../../../host/choose-limits.ts"
import type { Sandbox, SandboxSpec } from "../../../host/host.ts"
import { userOf } from "../../../host/sandbox-user.ts"
import { noSnapshots } from "../../../host/unsupported.ts"
import type { Dialer } from "../../../network/dialer.ts"
import { type Identity, ownerLabel } from "../container-settings.ts"
import type { Engine } from "../engine.ts"
import { startRemote } from "./start-remote.ts"
import type { Uploaded } from "./upload-directory.ts"

export interface RemoteSandboxDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly can: Capabilities
  readonly image: string
  readonly own: OwnDirectory
  readonly injector: ProgramInjector
  readonly runtime: string | null
  readonly binds: readonly string[]
  readonly keeperImage: string | null
  /** Toolkeep's own programs on the engine's machine; null where they do not run there. */
  readonly programs: Uploaded | null
  readonly upload: (directory: string) => Promise<Uploaded>
  readonly dialer: Dialer | undefined
}

/** A sandbox of an engine that has other files than this machine: its home is a volume, and a keeper has its pipes. */
export async function createRemoteSandbox(
  wanted: SandboxSpec,
  deps: RemoteSandboxDeps,
): Promise<Sandbox> {
  const { engine, clock, can, image, own, binds, programs } = deps
  const home = volumeOf(own)
  const owner = ownerOf(process.pid)
  await engine.makeVolume({
    Name: home,
    // What is kept is removed by nobody but its own Toolkeep.
    Labels: own.isKept() ? { "toolkeep.kept": "" } : { [ownerLabel]: owner },
  })
  const removeHome = async () => {
    await engine.removeVolume(home)
  }
  const start = (network: Network["kind"]) =>
    deps.injector.start(image, async (injected: InjectedPrograms | null) => {
      const lent = injected && (await deps.upload(injected.directory))
      const { runtime } = deps
      const limits = heldLimits(can.limits)
      const identity = identityOf(own)
      return startRemote({
        name: `toolkeep-${basename(own.path)}`,
        spec: { image, injected, identity, owner, runtime, binds, limits, network },
        ...{ engine, clock, home, programs, lent, keeperImage: deps.keeperImage },
        mark: join(own.path, exchangeName),
      })
    })
  const { createAgentSandbox } = await import("../../../agent/create-agent-sandbox.ts")
  return createAgentSandbox({
    ...{ name: wanted.name, image, can, clock, start },
    isRemote: true,
    directory: own.path,
    isEmpty: own.isEmpty,
    discard: async () => {
      if (!own.isKept() || own.isEmpty) await removeHome()
      await own.discard()
    },
    remove: async () => {
      await removeHome()
      await own.remove()
    },
    holdFiles: noSnapshots(can.host),
    recordFiles: noSnapshots(can.host),
    freeLayers: async () => {},
    room: wanted.room,
    sharedUse: async () => new Map(),
    reach: {
      ...networkDeps(wanted, { user: null, programs: "", dialer: deps.dialer }),
      // It is among the programs that were uploaded.
      injectNode: async () => {},
    },
  })
}

/** A name that no other machine gives to a volume of the same engine. */
function volumeOf({ path }: OwnDirectory): string {
  const file = join(path, "volume")
  if (!existsSync(file)) writeFileSync(file, `toolkeep-${createId("home")}`, { mode: 0o600 })
  return readFileSync(file, "utf8")
}

/** The same for as long as the sandbox is there, and hardly another's on the same engine. */
function identityOf({ path }: OwnDirectory): Identity {
  const user = userOf(path)
  return { user, group: user, isOwn: true }
}
