import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { DockerOptions } from "dockerode"
import { ToolFailure } from "../../../contract/index.ts"
import { permanentFailure } from "../../host/unsupported.ts"

/** Where an engine listens. */
export interface EngineAddress {
  /** For people: without a user's name or password. */
  readonly shown: string
  /** A socket of this machine; what is behind it may still be elsewhere. */
  readonly isSocket: boolean
  readonly options: DockerOptions
}

interface AddressClues {
  readonly environment: NodeJS.ProcessEnv
  readonly isThere?: (path: string) => boolean
}

/** Where the engine listens: what DOCKER_HOST says, else Docker's default socket, else Podman's. */
export function findEngine({ environment, isThere = existsSync }: AddressClues): EngineAddress {
  const named = environment.DOCKER_HOST
  if (named) return engineAddress(named, environment)
  const sockets = defaultSockets(environment.XDG_RUNTIME_DIR)
  const found = sockets.find(isThere)
  if (found !== undefined) return socketAddress(found)
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

export function socketAddress(path: string): EngineAddress {
  // The library prefers the host that DOCKER_HOST names.
  const options = Object.assign({ socketPath: path }, { host: undefined })
  return { shown: path, isSocket: true, options }
}

/** As DOCKER_HOST has it: a socket, or an engine that is reached over TCP or SSH. */
export function engineAddress(address: string, environment: NodeJS.ProcessEnv): EngineAddress {
  const socket = /^(?:unix|npipe):\/\/(\/.+)$/.exec(address)?.[1]
  if (socket !== undefined) return socketAddress(socket)
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !/^(tcp|http|https|ssh):$/.test(url.protocol) || url.hostname === "") {
    throw permanentFailure(
      "DOCKER_HOST is not an address of an engine. Set it as in unix:///run/podman/podman.sock, tcp://build.example:2376 or ssh://build.example, or use another host.",
    )
  }
  const shown = `${url.protocol}//${url.host}`
  const host = url.hostname.replace(/^\[|\]$/g, "")
  if (url.protocol === "ssh:") {
    const agent = environment.SSH_AUTH_SOCK
    const options: DockerOptions = {
      protocol: "ssh",
      host,
      port: url.port || 22,
      ...(url.username && { username: decodeURIComponent(url.username) }),
      ...(agent && { sshOptions: { agent } }),
    }
    return { shown, isSocket: false, options }
  }
  const isSecure =
    url.protocol === "https:" || url.port === "2376" || Boolean(environment.DOCKER_TLS_VERIFY)
  const protocol = isSecure ? "https" : "http"
  const port = url.port || (isSecure ? 2376 : 2375)
  const certificates = isSecure ? certificatesIn(environment.DOCKER_CERT_PATH) : {}
  return { shown, isSocket: false, options: { protocol, host, port, ...certificates } }
}

function certificatesIn(directory: string | undefined): Pick<DockerOptions, "ca" | "cert" | "key"> {
  if (!directory) return {}
  const read = (name: string) => {
    try {
      return readFileSync(join(directory, name), "utf8")
    } catch (cause) {
      throw permanentFailure(`DOCKER_CERT_PATH has no ${name} that can be read.`, { cause })
    }
  }
  return { ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem") }
}
