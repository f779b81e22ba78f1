import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { DefinitionError } from "../contract/index.ts"
import { nearest } from "../kit/index.ts"
import {
  bubblewrapHost,
  type Host,
  localHost,
  memoryHost,
  openDockerHost,
  openKubernetesHost,
  openOpenSandboxHost,
  tryKubernetesNetworks,
} from "../sandbox/index.ts"
import type { ImageSources } from "./image-sources.ts"

/** Where hosts that work on this machine's own files find them. */
export interface HostPlaces {
  /** The directory that the local host's default sandbox is. */
  readonly directory?: string | undefined
  /** Where Toolkeep keeps what it makes; `toolkeepHome()` when absent. */
  readonly home?: string | undefined
  /** The images for sandboxes of this machine's own host; containers have their engine's images. */
  readonly images?: ImageSources | undefined
}

export interface HostChoice {
  readonly host: Host
  /** Why this one, in a sentence. */
  readonly why: string
  /** Why there are no real programs, and what to do about it; null where there are, or nobody asked for the best. */
  readonly fallback: string | null
}

const hosts: Readonly<Record<string, (places: HostPlaces) => Host | Promise<Host>>> = {
  bubblewrap: ({ home = toolkeepHome(), images = {} }) =>
    bubblewrapHost({ directory: join(home, "bubblewrap"), images, hidden: [home] }),
  docker: ({ home = toolkeepHome() }) =>
    openDockerHost({ image: dockerImage(), directory: join(home, "docker"), ...keeperImage() }),
  kubernetes: (places) => openKubernetesHost(kubernetesOptions(places)),
  opensandbox: () => openOpenSandboxHost({ ...openSandboxServer(), image: dockerImage() }),
  memory: () => memoryHost(),
  local: ({ directory = ".", home = toolkeepHome() }) =>
    localHost({
      directoryFor: (name) => (name === "default" ? resolve(directory) : join(home, "local", name)),
    }),
}

export const hostNames: readonly string[] = Object.keys(hosts)

/** The best isolation first. The local host has none, and a cluster is other people's, so they are never chosen for anyone. */
const automatic = ["bubblewrap", "docker", "memory"]

export async function openHost(name: string, places: HostPlaces = {}): Promise<HostChoice> {
  if (name !== "auto") {
    return { host: await hostNamed(name, places), why: "it was asked for", fallback: null }
  }
  const passed: string[] = []
  const remedies: string[] = []
  for (const candidate of automatic) {
    const host = await hostNamed(candidate, places)
    const status = await host.probe()
    if (status.kind === "ready") {
      const works = "it is the best host that works here"
      const how = status.detail === undefined ? works : `${works}, with ${status.detail}`
      const fallback = candidate === "memory" ? fallbackFrom(remedies) : null
      return { host, why: [how, ...passed].join("; "), fallback }
    }
    remedies.push(`${status.reason} ${status.remedy}`)
    passed.push(`${candidate} does not: ${status.reason}`)
  }
  throw new DefinitionError(`No host works on this machine: ${passed.join("; ")}`)
}

/** Of Linux's own host there, which needs the least; elsewhere of the other. */
function fallbackFrom(remedies: readonly string[]): string {
  const remedy = process.platform === "linux" ? remedies[0] : remedies.at(-1)
  return `Commands run in a virtual bash without real programs. ${remedy}`
}

function hostNamed(name: string, places: HostPlaces): Host | Promise<Host> {
  const create = Object.hasOwn(hosts, name) ? hosts[name] : undefined
  if (create) return create(places)
  const close = nearest(name, hostNames)
  throw new DefinitionError(
    `There is no host ${JSON.stringify(name)}; ` +
      (close ? `did you mean "${close}"?` : `there are auto, ${hostNames.join(", ")}.`),
  )
}

/** `TOOLKEEP_IMAGE`; none is pulled, so it has to be one that the engine has. */
function dockerImage(): string {
  return process.env.TOOLKEEP_IMAGE || "debian:stable-slim"
}

/** For engines on whose machine this process's Node does not run, and for pods. */
function keeperImage(): { readonly keeperImage?: string } {
  const image = process.env.TOOLKEEP_KEEPER_IMAGE
  return image ? { keeperImage: image } : {}
}

/** Where OpenSandbox's own SDKs look for their server. */
function openSandboxServer() {
  const { OPEN_SANDBOX_DOMAIN, OPEN_SANDBOX_API_KEY } = process.env
  return {
    domain: OPEN_SANDBOX_DOMAIN || undefined,
    ...(OPEN_SANDBOX_API_KEY && { apiKey: OPEN_SANDBOX_API_KEY }),
  }
}

function kubernetesOptions({ home = toolkeepHome() }: HostPlaces) {
  return {
    image: dockerImage(),
    directory: join(home, "kubernetes"),
    ...keeperImage(),
    ...clusterSettings(),
  }
}

/** Tries which networks the cluster of the kubernetes host enforces; null for a problem means that it does. */
export async function tryNetworks(places: HostPlaces = {}): Promise<{
  readonly cluster: string
  readonly closed: readonly string[]
  readonly problem: string | null
}> {
  return tryKubernetesNetworks(kubernetesOptions(places))
}

/** What a kubeconfig does not say. */
function clusterSettings() {
  const { TOOLKEEP_NAMESPACE, TOOLKEEP_RUNTIME_CLASS, TOOLKEEP_STORAGE_CLASS } = process.env
  return {
    ...(TOOLKEEP_NAMESPACE && { namespace: TOOLKEEP_NAMESPACE }),
    ...(TOOLKEEP_RUNTIME_CLASS && { runtimeClass: TOOLKEEP_RUNTIME_CLASS }),
    ...(TOOLKEEP_STORAGE_CLASS && { storageClass: TOOLKEEP_STORAGE_CLASS }),
  }
}

/** `TOOLKEEP_HOME`; else a place of the user's own, which for root is one that sandboxes can walk to. */
export function toolkeepHome(): string {
  if (process.env.TOOLKEEP_HOME) return resolve(process.env.TOOLKEEP_HOME)
  return process.getuid?.() === 0 ? "/var/lib/toolkeep" : join(homedir(), ".toolkeep")
}
