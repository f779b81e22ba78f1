import type { Host } from "../host/host.ts"
import type { DockerHostOptions } from "./docker/docker-host.ts"

/** `dockerHost`, loaded where it is used: most processes have another host. */
export async function openDockerHost(options: DockerHostOptions): Promise<Host> {
  const { dockerHost } = await import("./docker/docker-host.ts")
  return dockerHost(options)
}
