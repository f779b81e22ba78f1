import type { Network } from "../../contract/index.ts"
import type { SandboxLimitsRequest } from "../../sandbox/index.ts"
import { checkLife, type NewSandbox } from "../sandbox-api/api-sandboxes.ts"
import { readNetworkPolicy } from "./network-policy.ts"
import {
  aCount,
  aFlag,
  anObject,
  apiName,
  aText,
  badRequest,
  listOfTexts,
  notImplemented,
  optional,
  required,
  texts,
} from "./request.ts"

type Body = Readonly<Record<string, unknown>>

/** What OpenSandbox's clients ask for when they want nothing to run. */
const idle = [["tail", "-f", "/dev/null"], ["sleep", "infinity"], ["/bin/bash"], ["bash"], ["sh"]]

export interface CreateRequest {
  readonly sandbox: NewSandbox
  readonly snapshot: string | undefined
  /** A program that goes on in the sandbox from the start; null for none. */
  readonly program: readonly string[] | null
}

/** A request for a sandbox, as Toolkeep can keep it; what it can't is refused in words. */
export function readCreateRequest(body: Body): CreateRequest {
  const image = optional(body, "image", anObject)
  const snapshot = optional(body, "snapshotId", aText)
  if ((image === undefined) === (snapshot === undefined)) {
    throw badRequest("Exactly one of image and snapshotId has to be given.")
  }
  refuseOthers(body, image)
  const timeout = optional(body, "timeout", aCount)
  const entrypoint = optional(body, "entrypoint", listOfTexts) ?? idle[0] ?? []
  const extensions = optional(body, "extensions", texts) ?? {}
  const policy = optional(body, "networkPolicy", anObject)
  const isIdle = idle.some((words) => words.join("\0") === entrypoint.join("\0"))
  return {
    sandbox: {
      api: apiName,
      image: image && required(image, "uri", aText),
      network: policy && readNetwork(policy),
      limits: readLimits(optional(body, "resourceLimits", texts) ?? {}),
      env: readEnv(optional(body, "env", texts) ?? {}),
      metadata: readMetadata(optional(body, "metadata", texts) ?? {}),
      lifeMs: timeout === undefined ? undefined : checkLife(timeout * 1000),
      details: { entrypoint, extensions, ...(snapshot && { snapshotId: snapshot }) },
    },
    snapshot,
    program: isIdle || entrypoint.length === 0 ? null : entrypoint,
  }
}

/** An empty policy allows everything, as OpenSandbox has it: here that is the server's own default. */
function readNetwork(policy: Body): Network | undefined {
  return Object.keys(policy).length === 0 ? undefined : readNetworkPolicy(policy)
}

function refuseOthers(body: Body, image: Body | undefined): void {
  if (image && optional(image, "auth", anObject)) {
    throw notImplemented("Credentials for the registry of an image")
  }
  const { volumes } = body
  if (Array.isArray(volumes) && volumes.length > 0) throw notImplemented("Volumes")
  const proxy = optional(body, "credentialProxy", anObject)
  if (proxy && optional(proxy, "enabled", aFlag)) throw notImplemented("The credential vault")
  const extensions = optional(body, "extensions", texts) ?? {}
  for (const key of ["poolRef", "access.renew.extend.seconds"]) {
    if (Object.hasOwn(extensions, key)) throw notImplemented(`The extension ${key}`)
  }
  const platform = optional(body, "platform", anObject)
  if (platform) requirePlatform(platform)
}

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" }

function requirePlatform(platform: Body): void {
  const os = optional(platform, "os", aText) ?? "linux"
  const own = architectures[process.arch] ?? process.arch
  const arch = optional(platform, "arch", aText) ?? own
  if (os === "linux" && arch === own) return
  throw badRequest(`Sandboxes here are linux/${own}, not ${os}/${arch}.`, "platform")
}

const names: Readonly<Record<string, keyof SandboxLimitsRequest>> = {
  cpu: "processors",
  memory: "memoryBytes",
  disk: "diskBytes",
  "ephemeral-storage": "diskBytes",
}

const units: Readonly<Record<string, number>> = {
  m: 1e-3,
  "": 1,
  k: 1e3,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
}

/** Quantities as Kubernetes writes them: "500m", "512Mi". */
function readLimits(limits: Readonly<Record<string, string>>): SandboxLimitsRequest {
  const read: Record<string, number> = {}
  for (const [name, text] of Object.entries(limits)) {
    if (name === "gpu" && text === "0") continue
    const limit = names[name]
    if (limit === undefined) throw notImplemented(`A limit of ${JSON.stringify(name.slice(0, 60))}`)
    const [, number, unit = ""] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? []
    const factor = units[unit]
    if (number === undefined || factor === undefined) {
      throw badRequest(
        `resourceLimits.${name} has to be a quantity such as "500m" or "512Mi".`,
        "resourceLimits",
      )
    }
    const value = Number(number) * factor
    read[limit] = limit === "processors" ? value : Math.ceil(value)
  }
  return read
}

/** Where the shell would not read them, variables would only seem to be there. */
export function readEnv(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const bad = Object.keys(env).find((name) => !/^[A-Za-z_]\w*$/.test(name))
  if (bad === undefined) return env
  throw badRequest(`${JSON.stringify(bad.slice(0, 60))} can't be the name of a variable.`, "env")
}

const metadataLimits = { entries: 64, keyCharacters: 317, valueCharacters: 1024 }

export function readMetadata(
  metadata: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(metadata)
  const { keyCharacters, valueCharacters } = metadataLimits
  const isFit =
    entries.length <= metadataLimits.entries &&
    entries.every(([key, value]) => key.length <= keyCharacters && value.length <= valueCharacters)
  if (isFit) return metadata
  throw badRequest(
    `Metadata has at most ${metadataLimits.entries} entries, of ${keyCharacters} and ${valueCharacters} characters.`,
    "metadata",
  )
}
