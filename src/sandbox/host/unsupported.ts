import { type Capabilities, type Network, ToolFailure } from "../../contract/index.ts"
import { checkDomains } from "../network/uncovered-domains.ts"

/** What hosts with real processes can do. */
export const processCapabilities = {
  liveOutput: true,
  liveInput: true,
  argumentLists: true,
  fileModes: true,
  background: true,
  ports: true,
  sleep: true,
  durable: true,
} as const satisfies Partial<Capabilities>

/** The same behind a wall, with files and a network of their own. */
export const walledCapabilities = {
  ...processCapabilities,
  networks: ["none", "allow-list", "full"],
  home: "/home/user",
} as const satisfies Partial<Capabilities>

/** Whether terminals can be opened with the programs that are there. */
export function hasTerminals(hasProgram: (name: string) => boolean): boolean {
  return hasProgram("stty") && (hasProgram("script") || hasProgram("python3"))
}

/** What can't be done here, however often it is asked for. */
export function permanentFailure(message: string, options?: ErrorOptions): ToolFailure {
  return new ToolFailure({ kind: "unavailable", message, retryable: false }, options)
}

/** A promise that the host never made. */
export function unsupported(host: string, what: string): ToolFailure {
  return permanentFailure(`The ${host} host can't ${what}.`)
}

/** Refuses a network that the host can't give, and rules that mean nothing. */
export async function requireNetwork(
  can: Capabilities,
  network: Network | undefined,
): Promise<void> {
  if (network === undefined) return
  if (can.networks.includes(network.kind)) {
    if (network.kind === "allow-list") await checkDomains(network.domains)
    return
  }
  throw new ToolFailure({
    kind: "invalid_args",
    message: `The ${can.host} host can't give a sandbox the network "${network.kind}".`,
    field: "network",
    expected: can.networks.join(", "),
  })
}

/** For hosts that have none: what both `snapshot` and `removeSnapshot` answer. */
export function noSnapshots(host: string): () => Promise<never> {
  return async () => {
    throw unsupported(host, "hold the files of a sandbox as they are")
  }
}

export function requireSnapshots({ host, snapshots }: Capabilities): void {
  if (!snapshots) throw unsupported(host, "hold the files of a sandbox as they are")
}

/** Refuses with the reason, where a host can't restore files. */
export function requireCheckpoints({ host, checkpoints, isolation }: Capabilities): void {
  if (checkpoints) return
  if (isolation === "none") {
    throw permanentFailure(
      `The ${host} host can't restore files: its sandboxes are directories of this machine, and what is there would be overwritten.`,
    )
  }
  throw unsupported(host, "record the files of a sandbox and restore them")
}

/** For hosts that know their images beforehand. The first is the default. */
export function requireImage(
  wanted: string | undefined,
  images: readonly string[],
  can: Capabilities,
): string {
  const [defaultImage = ""] = images
  const image = wanted ?? defaultImage
  if (images.includes(image)) return image
  throw new ToolFailure({
    kind: "invalid_args",
    message: noImageMessage(image, can),
    field: "image",
    expected: `one of ${images.map((name) => JSON.stringify(name)).join(", ")}`,
  })
}

const longestName = 100

/** That there is no such image, and how a person provides it. */
export function noImageMessage(wanted: string, { host, imageRemedy }: Capabilities): string {
  const image = wanted.slice(0, longestName)
  const remedy = imageRemedy ?? `The ${host} host has no images to choose from.`
  return `There is no image ${JSON.stringify(image)} here. ${remedy.replaceAll("{image}", image)}`
}

export function sandboxClosed(): ToolFailure {
  return permanentFailure("The sandbox was closed.")
}

export function sandboxAsleep(): ToolFailure {
  return new ToolFailure({ kind: "unavailable", message: "The sandbox went to sleep." })
}

export function nobodyListens(port: number): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `Nothing listens on port ${port} in the sandbox.`,
  })
}

const mostNamed = 5

export function unknownSnapshot(id: string, known: readonly string[]): ToolFailure {
  const some = known.slice(-mostNamed).join(", ")
  return new ToolFailure({
    kind: "invalid_args",
    message: `There is no snapshot ${JSON.stringify(id.slice(0, 100))} here.`,
    field: "from",
    expected: known.length === 0 ? "a snapshot; there is none" : `one of ${known.length}: ${some}`,
  })
}
