import { existsSync } from "node:fs"
import { join } from "node:path"
import { ToolFailure } from "../../../contract/index.ts"

export interface SocketClues {
  readonly environment: NodeJS.ProcessEnv
  readonly isThere?: (path: string) => boolean
}

/** Where the engine of this machine listens: what DOCKER_HOST says, else Docker's usual place, else Podman's. */
export function findSocket({ environment, isThere = existsSync }: SocketClues): string {
  const told = environment.DOCKER_HOST
  if (told) return pathIn(told)
  const places = usualPlaces(environment.XDG_RUNTIME_DIR)
  const found = places.find(isThere)
  if (found !== undefined) return found
  throw new ToolFailure({
    kind: "unavailable",
    message: `No container engine was found, neither by DOCKER_HOST nor at ${places.join(", ")}. Start Docker or Podman, or use another host.`,
  })
}

function usualPlaces(runtimeDirectory: string | undefined): readonly string[] {
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
  throw new ToolFailure({
    kind: "unavailable",
    message:
      "DOCKER_HOST names no unix socket, and only an engine on this machine can be used. Set it as in unix:///run/podman/podman.sock, or use another host.",
    retryable: false,
  })
}
