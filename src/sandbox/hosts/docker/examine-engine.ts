import { existsSync } from "node:fs"
import { join } from "node:path"
import { ToolFailure } from "../../../contract/index.ts"
import { permanentFailure } from "../../host/unsupported.ts"

/** What an engine says about itself and its machine. */
export interface EngineInformation {
  readonly SecurityOptions?: readonly string[]
  readonly MemoryLimit?: boolean
  readonly PidsLimit?: boolean
  readonly CpuCfsQuota?: boolean
  readonly DefaultRuntime?: string
}

/** Refuses an engine whose containers could not be what this host promises. */
export function examineEngine(engine: EngineInformation, platform: NodeJS.Platform): void {
  if (platform !== "linux") {
    throw permanentFailure(
      "Commands are handed over through pipes that only an engine on this Linux has. Use another host.",
    )
  }
  // There a number inside is another one outside, and the home would belong to nobody inside.
  const mapped = engine.SecurityOptions?.some((option) => /^name=(rootless|userns)\b/.test(option))
  if (mapped)
    throw permanentFailure(
      "The container engine maps users to others, as rootless ones do, which is not supported; start it as root. Use another host.",
    )
  const limits = {
    memory: engine.MemoryLimit,
    processes: engine.PidsLimit,
    processors: engine.CpuCfsQuota,
  }
  const missing = Object.entries(limits).filter(([, has]) => has === false)
  if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(", ")
    throw permanentFailure(
      `The container engine can't hold a container to limits here: ${names}. Use another host.`,
    )
  }
}

/** Which engine answers. */
export interface EngineIdentity {
  readonly name: "Docker" | "Podman"
  readonly version: string
}

/** What an engine says of itself when it is asked for its version. */
interface EngineVersion {
  readonly Version?: string
  readonly Components?: readonly { readonly Name?: string }[]
}

/** Podman answers as Docker would, but for the names of its parts. */
export function identify({ Version = "", Components }: EngineVersion): EngineIdentity {
  const isPodman = Components?.some(({ Name }) => Name === "Podman Engine") ?? false
  return { name: isPodman ? "Podman" : "Docker", version: Version }
}

interface SocketClues {
  readonly environment: NodeJS.ProcessEnv
  readonly isThere?: (path: string) => boolean
}

/** Where the engine of this machine listens: what DOCKER_HOST says, else Docker's default socket, else Podman's. */
export function findSocket({ environment, isThere = existsSync }: SocketClues): string {
  const named = environment.DOCKER_HOST
  if (named) return pathIn(named)
  const sockets = defaultSockets(environment.XDG_RUNTIME_DIR)
  const found = sockets.find(isThere)
  if (found !== undefined) return found
  throw new ToolFailure({
    kind: "unavailable",
    message: `No container engine was found, neither by DOCKER_HOST nor at ${sockets.join(", ")}. Start Docker or Podman, or use another host.`,
  })
}

function defaultSockets(runtimeDirectory: string | undefined): readonly string[] {
  const ofPodman = join("podman", "podman.sock")
  return [
    "/var/run/docker.sock",
    ...(runtimeDirectory ? [join(runtimeDirectory, ofPodman)] : []),
    join("/run", ofPodman),
  ]
}

function pathIn(address: string): string {
  const path = /^unix:\/\/(\/.+)$/.exec(address)?.[1]
  if (path !== undefined) return path
  throw permanentFailure(
    "DOCKER_HOST is not a unix socket, and only an engine on this machine can be used. Set it as in unix:///run/podman/podman.sock, or use another host.",
  )
}
