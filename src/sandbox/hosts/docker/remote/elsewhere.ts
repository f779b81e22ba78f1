import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Capabilities } from "../../../../contract/index.ts"
import { createId } from "../../../../kit/index.ts"
import { ownerOf } from "../../../../node/index.ts"
import { permanentFailure } from "../../../host/unsupported.ts"
import { ownerLabel } from "../container-settings.ts"
import type { DockerHostOptions } from "../docker-host.ts"
import type { Engine } from "../engine.ts"
import { type EngineAddress, engineAddress, findEngine, socketAddress } from "../engine-address.ts"
import { statusOf } from "../engine-failure.ts"
import {
  type EngineIdentity,
  type EngineInformation,
  isNamedAsHere,
  mapsUsers,
  runsOurPrograms,
} from "../examine-engine.ts"

/** An engine elsewhere has other files than this machine: on another one, in a virtual one, or under other users. */

type Options = DockerHostOptions

export function addressOf({ address, socketPath }: Options): EngineAddress {
  if (address !== undefined) return engineAddress(address, process.env)
  if (socketPath !== undefined) return socketAddress(socketPath)
  return findEngine({ environment: process.env })
}

/** By its address alone. One that is not an address at all is refused when the engine is asked. */
export function mustBeElsewhere(options: Options): boolean {
  if (process.platform !== "linux") return true
  try {
    return !addressOf(options).isSocket
  } catch {
    return false
  }
}

interface Examined {
  readonly information: EngineInformation
  readonly options: Options
}

/** One with the name of another machine is asked for a directory that only this one has. */
export async function isElsewhere(
  engine: Engine,
  { information, options }: Examined,
): Promise<boolean> {
  if (mustBeElsewhere(options) || mapsUsers(information)) return true
  if (isNamedAsHere(information)) return false
  const Source = mkdtempSync(join(options.directory, "shared", "look-"))
  const name = `toolkeep-${createId("look")}`
  try {
    await engine.create(name, {
      Image: options.image,
      Cmd: ["/bin/sh"],
      Labels: { [ownerLabel]: ownerOf(process.pid) },
      HostConfig: { Mounts: [{ Type: "bind", Source, Target: "/run/look" }] },
    })
    return false
  } catch (error) {
    const isRefused = error instanceof Error && statusOf(error.cause) === 400
    if (!isRefused) throw error
    return true
  } finally {
    rmSync(Source, { recursive: true, force: true })
    await engine.remove(name)
  }
}

export function refuseElsewhere(examined: Examined & { readonly identity: EngineIdentity }): void {
  const { identity, information, options } = examined
  if (identity.name === "Podman") {
    throw permanentFailure(
      "A Podman that is elsewhere, or that maps users as rootless ones do, is not supported; start it as root on this machine, or use Docker.",
    )
  }
  if (options.keeperImage !== undefined || runsOurPrograms(information)) return
  throw permanentFailure(
    "This process's Node does not run on the engine's machine, which is of another kind. Let the engine pull an image that has Node, and name it in TOOLKEEP_KEEPER_IMAGE, such as node:24-slim.",
  )
}

/** Nobody can look from here where a bind leads there; what commands can't write, they can't lead elsewhere. */
export function requireReadOnly(binds: readonly string[]): void {
  const writable = binds.find((bind) => !bind.split(":")[2]?.split(",").includes("ro"))
  if (writable === undefined) return
  throw permanentFailure(
    `The bind ${JSON.stringify(writable)} is of an engine elsewhere, where it can only be read. Write ":ro" behind it.`,
  )
}

/** What can be promised where nobody here sees the files. */
export function remoteCapabilities(here: Capabilities, { keeperImage }: Options): Capabilities {
  const remote: Capabilities = {
    ...here,
    snapshots: false,
    checkpoints: false,
  }
  if (keeperImage === undefined) return remote
  // The way to the proxy inside is a program for Toolkeep's Node, as other code is.
  const { bash } = here.languages
  return {
    ...remote,
    networks: ["none", "full"],
    ripgrep: null,
    languages: bash ? { bash } : {},
  }
}
