import { type Network, ownFileProblem, ToolFailure } from "../../contract/index.ts"
import type { SandboxLimitsRequest } from "../host/host.ts"
import { poolLimits } from "../limits.ts"
import type { SandboxRequest } from "./create-pool.ts"
import type { SandboxStatus } from "./named-sandbox.ts"

const namePattern = /^[a-z0-9][a-z0-9_-]{0,62}$/

export function isSandboxName(name: string): boolean {
  return namePattern.test(name)
}

/** What a pool refuses, and in which words. */

export function checkSleep(milliseconds: number = poolLimits.sleepAfterMs): number {
  const least = poolLimits.sleepAfterMsLeast
  if (Number.isFinite(milliseconds) && milliseconds >= least) return milliseconds
  throw new ToolFailure({
    kind: "invalid_args",
    message: `A sandbox can't go to sleep after ${milliseconds} ms.`,
    field: "sleep_after_ms",
    expected: `at least ${least}`,
  })
}

/** A request that an existing sandbox does not fulfil is refused: it must not look as if it were granted. */
export function requireSame(
  request: SandboxRequest,
  has: SandboxStatus & { readonly limits?: SandboxLimitsRequest | undefined },
): void {
  if (request.from !== undefined) throw isTaken(has.name)
  const { image, network } = has
  if (request.image !== undefined && image !== "" && request.image !== image) {
    throw isOther("image", `the image ${JSON.stringify(image)}`, has)
  }
  if (request.network !== undefined && request.network.kind !== network.kind) {
    throw isOther("network", `the network "${network.kind}"`, has)
  }
  if (request.network !== undefined && domainsOf(request.network) !== domainsOf(network)) {
    throw isOther("network", "other domains on its allow-list", has)
  }
  const other = limitNames.find(
    (name) => request.limits?.[name] !== undefined && request.limits[name] !== has.limits?.[name],
  )
  if (other !== undefined) {
    throw isOther("limits", `another limit of ${other}`, has)
  }
}

const limitNames = ["memoryBytes", "diskBytes", "processes", "processors"] as const

function domainsOf(network: Network): string {
  return network.kind === "allow-list" ? [...new Set(network.domains)].sort().join(" ") : ""
}

function isOther(field: string, what: string, { name }: SandboxStatus): ToolFailure {
  const message = `The sandbox "${name}" exists and has ${what}.`
  return new ToolFailure({ kind: "invalid_args", message, field })
}

const taken = (name: string) => `There is a sandbox "${name}" already.`

export function isTaken(name: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message: taken(name), field: "sandbox" })
}

export function noSuch(name: string, names: readonly string[]): ToolFailure {
  return new ToolFailure({
    kind: "not_found",
    message: `There is no sandbox ${JSON.stringify(name.slice(0, 70))}.`,
    field: "sandbox",
    expected: names.length > 0 ? `one of ${names.join(", ")}` : "none was made yet",
  })
}

export function tooMany(most: number, names: readonly string[]): ToolFailure {
  return new ToolFailure({
    kind: "rejected",
    message: `A session can have ${most} sandboxes and has them: ${names.slice(0, 10).join(", ")}${names.length > 10 ? ", ..." : ""}. Destroy one first.`,
    field: "sandbox",
  })
}

export function notRemembered(cause: unknown): ToolFailure {
  const said = cause instanceof Error ? cause.message : String(cause)
  const message = `A new sandbox could not be recorded: ${ownFileProblem(cause) ?? said.slice(0, 200)}`
  return new ToolFailure({ kind: "unavailable", message }, { cause })
}

export function badName(name: string, field = "sandbox"): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `${JSON.stringify(name.slice(0, 70))} can't name a sandbox.`,
    field,
    expected: 'lower-case letters, digits, "-" and "_", such as "build"; at most 63',
  })
}
