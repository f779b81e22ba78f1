import { mkdirSync, rmSync } from "node:fs"
import type { MountSettings } from "dockerode"
import { type Clock, createId } from "../../../../kit/index.ts"
import { connectAgent } from "../../../agent/commands/agent.ts"
import { keepComplaint, UnfitImage } from "../../../agent/commands/require-programs.ts"
import type { Inside } from "../../../agent/create-agent-sandbox.ts"
import { connectKeeper } from "../../../agent/frames/connect-keeper.ts"
import { joinKeeper } from "../../../agent/frames/keeper-program.ts"
import { frameLimits } from "../../../limits.ts"
import { injectedPaths } from "../../../programs/inject-programs.ts"
import { injectedDirectory } from "../../../programs/injected-node.ts"
import { type ContainerSpec, containerSettings, ownerLabel } from "../container-settings.ts"
import type { Engine } from "../engine.ts"
import { notStarted } from "../engine-failure.ts"
import { becomesReady } from "../start-container.ts"
import { exchangeVolume, keeperSettings } from "./keeper-container.ts"
import type { Uploaded } from "./upload-directory.ts"

export interface RemoteStartOptions {
  readonly name: string
  readonly spec: Omit<ContainerSpec, "mounts">
  readonly engine: Engine
  readonly clock: Clock
  /** The volume that is the sandbox's home. */
  readonly home: string
  /** The image of the keeper, where it is not the sandbox's; it has a Node. */
  readonly keeperImage: string | null
  /** Toolkeep's programs on the engine's machine; none where they do not run there. */
  readonly programs: Uploaded | null
  /** What the image lacks, on the engine's machine. */
  readonly lent: Uploaded | null
  /** Is there on this machine while the sandbox is awake. */
  readonly mark: string
}

/** Starts a container whose first process is the agent, and beside it the keeper that this process speaks with. */
export async function startRemote(options: RemoteStartOptions): Promise<Inside> {
  const { name, spec, engine, clock } = options
  const keeperName = `${name}-keeper`
  const exchange = `${name}-exchange`
  const token = createId("keeper") + createId("keeper")
  const removeAll = async () => {
    await Promise.all([engine.remove(name), engine.remove(keeperName)])
    await engine.removeVolume(exchange)
  }
  await removeAll()
  mkdirSync(options.mark, { recursive: true })
  let closeLink = () => {}
  const stop = async () => {
    await removeAll().finally(() => closeLink())
    rmSync(options.mark, { recursive: true, force: true })
  }

  try {
    const labels = { [ownerLabel]: spec.owner }
    const at = await engine.makeVolume({ Name: exchange, Labels: labels, ...exchangeVolume })
    const keeper = await engine.create(
      keeperName,
      keeperSettings({
        ...{ token, owner: spec.owner, identity: spec.identity, binds: spec.binds },
        image: options.keeperImage ?? spec.image,
        hasNode: options.programs === null,
        mounts: keeperMounts(options, exchange),
      }),
    )
    await engine.start(keeper, options.keeperImage ?? spec.image)
    const connection = connectKeeper({
      ...{ token, clock, slots: frameLimits.slots },
      dial: () => engine.connect(keeper, joinKeeper),
    })
    closeLink = connection.close
    if (!(await becomesReady(keeper, connection, options))) {
      throw new UnfitImage(
        options.keeperImage ?? spec.image,
        "The program that hands over commands did not start in it.",
        { hasBash: true },
      )
    }
    const complaint = keepComplaint(connection.answers)
    const agent = connectAgent({ ...connection, kill: () => engine.remove(name).catch(closeLink) })
    const volumes = await engine.volumesOf(spec.image)
    const mounts = sandboxMounts(options, { exchange, at })
    const container = await engine.create(name, containerSettings({ ...spec, mounts }, volumes))
    await engine.start(container, spec.image)
    if (!(await becomesReady(container, agent, options))) {
      if (complaint() === "") throw notStarted(spec.image)
      throw new UnfitImage(spec.image, complaint(), { hasBash: true })
    }
    connection.seal()
    return {
      ...{ agent, exchange: connection.exchange, disk: connection.disk, stop },
      // Of another machine: its numbers mean nothing here.
      firstProcess: async () => null,
      locate: async () => null,
      usage: () => engine.usage(container),
    }
  } catch (error) {
    // The reason it failed says more than that its remains can't be removed either.
    await stop().catch(() => {})
    throw error
  }
}

const volume = (Source: string, Target: string, ReadOnly: boolean): MountSettings => ({
  ...{ Type: "volume", Source, Target, ReadOnly },
  // What the image has there is not the sandbox's.
  VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: "", Options: {} } },
})

const file = (Source: string, Target: string): MountSettings => ({
  ...{ Type: "bind", Source, Target, ReadOnly: true },
})

function programMounts({ programs, lent }: RemoteStartOptions): MountSettings[] {
  return [
    ...(programs ? [volume(programs.volume, injectedDirectory, true)] : []),
    ...(lent ? [volume(lent.volume, injectedPaths.inside, true)] : []),
  ]
}

function keeperMounts(options: RemoteStartOptions, exchange: string): MountSettings[] {
  return [
    volume(options.home, "/home/user", false),
    volume(exchange, "/run/toolkeep", false),
    ...programMounts(options),
  ]
}

function sandboxMounts(
  options: RemoteStartOptions,
  { exchange, at }: { readonly exchange: string; readonly at: string },
): MountSettings[] {
  const { lent, spec } = options
  return [
    volume(options.home, "/home/user", false),
    volume(exchange, "/run/toolkeep", true),
    // The keeper has written them before the sandbox starts.
    file(`${at}/passwd`, "/etc/passwd"),
    file(`${at}/group`, "/etc/group"),
    ...programMounts(options),
    ...(lent && spec.injected?.withBash ? [file(`${lent.path}/bin/bash`, "/bin/bash")] : []),
  ]
}
