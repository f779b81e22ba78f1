import { join } from "node:path"
import type { ContainerCreateOptions, MountSettings } from "dockerode"
import { ToolFailure } from "../../../contract/index.ts"
import { ownerLabel } from "./container-settings.ts"
import type { Engine } from "./engine.ts"
import { placeProfile } from "./place-profile.ts"
import { isMemory, openLimits, type PodmanVolume, podmanSettings } from "./podman-settings.ts"

export interface PodmanParts {
  /** Where the host keeps its files; the engine reads there what it wants to have as a file. */
  readonly directory: string
  readonly defaultRuntime: string | undefined
}

/**
 * Podman, used as Docker is. It takes the same requests and understands some of them otherwise: what it
 * would quietly leave out is given to it in another way here, or refused.
 */
export function podmanEngine(engine: Engine, parts: PodmanParts): Engine {
  async function remove(name: string): Promise<void> {
    await engine.remove(name)
    // It has a name, so it stays when its container goes.
    await engine.removeVolume(name)
  }

  return {
    ...engine,
    remove,
    async create(name, settings) {
      requireRuntime(settings, parts.defaultRuntime)
      requirePlainPaths(settings)
      const layered = settings.HostConfig?.Mounts?.find(
        (mount) => mount.Type === "volume" && !isMemory(mount),
      )
      const volume = layered ? await makeVolume(name, layered, settings) : null
      const placed = (profile: string) =>
        placeProfile(join(parts.directory, "shared", "seccomp"), profile)
      return engine.create(name, podmanSettings(settings, { volume, placed, limits: openLimits() }))
    },
    async labelled(label) {
      const [containers, volumes] = await Promise.all([
        engine.labelled(label),
        engine.volumesLabelled(label),
      ])
      return [...new Map([...volumes, ...containers])]
    },
  }

  /** One of that name is another's layers, and making it again would change nothing about it. */
  async function makeVolume(
    name: string,
    { VolumeOptions }: MountSettings,
    { Labels }: ContainerCreateOptions,
  ): Promise<PodmanVolume> {
    await remove(name)
    const path = await engine.makeVolume({
      Name: name,
      Driver: "local",
      DriverOpts: VolumeOptions?.DriverConfig.Options ?? {},
      Labels: { [ownerLabel]: Labels?.[ownerLabel] ?? "" },
    })
    return { name, path }
  }
}

/** Podman takes the name of a runtime and uses its own all the same. */
function requireRuntime({ HostConfig }: ContainerCreateOptions, used: string | undefined): void {
  const wanted = HostConfig?.Runtime
  if (wanted === undefined || wanted === used) return
  throw refused(
    `Podman starts every container with the runtime it was started with (${used ?? "unknown"}), and not with ${wanted}. Start it with podman --runtime ${wanted} system service, or use another host.`,
  )
}

/** It writes a mount as one line of words with commas between them, and reads it again. */
function requirePlainPaths({ HostConfig }: ContainerCreateOptions): void {
  const odd = HostConfig?.Mounts?.find(({ Source }) => /[,"\n]/.test(Source))
  if (!odd) return
  throw refused(
    `Podman can't show the directory ${JSON.stringify(odd.Source)} to a container: its path has a comma, a quotation mark or a line break. Let Toolkeep keep its files elsewhere (TOOLKEEP_HOME).`,
  )
}

function refused(message: string): ToolFailure {
  return new ToolFailure({ kind: "unavailable", message, retryable: false })
}
