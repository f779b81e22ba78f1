import { readFile } from "node:fs/promises"
import { type PolicyConfig, warmSandboxes } from "../../config/index.ts"
import { type Network, ToolFailure } from "../../contract/index.ts"
import { errorCode } from "../../kit/index.ts"
import { parsePolicyYaml, withProfile } from "../../policy/index.ts"
import type { Approver } from "../../runtime/index.ts"
import type { PreviewHub } from "../../sandbox/index.ts"
import { checkDomains } from "../../sandbox/index.ts"
import {
  imageSources,
  openToolkeep,
  type Session,
  type Toolkeep,
  type ToolkeepOptions,
} from "../../session/index.ts"
import type { RecordStore } from "../../store/index.ts"
import type { Terminal } from "../output/terminal.ts"
import { checkPolicy, requireCaller } from "./check-policy.ts"
import { type Arguments, UsageError } from "./command.ts"
import { readDefer, readNetwork } from "./read-flags.ts"

export const defaultFile = "toolkeep.yaml"

interface Opening {
  /** For the local host: the directory to work in. */
  readonly directory?: string | undefined
  /** What the session is called when the flags name none. */
  readonly name?: string | undefined
  /** Asks the person who gave the command. */
  readonly approve?: Approver | undefined
  /** Where every session is recorded; as the flags say when absent. */
  readonly record?: RecordStore | undefined
  /** Whether every session is durable; as it is recorded when absent. */
  readonly durable?: boolean | undefined
  /** Where their previews are served; each session has a server of its own when absent. */
  readonly previewHub?: PreviewHub | undefined
  /** Whether it is looked at what calls do in their sandboxes. */
  readonly effects?: boolean | undefined
  /** Whether it serves for long, so that sandboxes are made before they are used. */
  readonly isServer?: boolean | undefined
}

/** Opens Toolkeep, and the session that the flags ask for. */
export async function openSession(given: Arguments, terminal: Terminal, opening: Opening = {}) {
  const keep = await openKeep(given, terminal, opening)
  const name = given.text("session")
  const session = name === undefined ? keep.session(opening.name ?? "cli") : openNamed(keep, name)
  return { keep, session }
}

/** Opens Toolkeep as the flags that all commands share ask for. */
export async function openKeep(
  given: Arguments,
  terminal: Terminal,
  opening: Opening = {},
): Promise<Toolkeep> {
  const { directory, approve, record, previewHub, effects = false, isServer } = opening
  const { durable = record !== undefined } = opening
  const policy = await readPolicy(given)
  requireCaller(given, policy)
  await checkPolicy(policy, terminal)
  const defer = readDefer(given)
  const network = readNetwork(given.text("network"))
  const images = typeof policy === "string" ? undefined : imageSources(policy)
  const keep = await openToolkeep({
    host: given.text("host") ?? "auto",
    policy,
    // Checked above, where no tools of a program's own come later.
    onWarning: () => {},
    ...(network && { network }),
    ...(defer && { defer }),
    ...(images && { images }),
    ...(await bridged(policy)),
    dialect: await chosenDialect(given, policy),
    ...(directory !== undefined && { directory }),
    ...(approve && { approve }),
    ...(record && { record }),
    ...(previewHub && { previewHub }),
    effects,
    ...(isServer && { warm: warmSandboxes(policy) }),
    durable: durable || given.text("session") !== undefined,
  })
  await requireNetwork(keep, network)
  return keep
}

/** Loaded only where one is named. */
async function chosenDialect(given: Arguments, policy: string | PolicyConfig) {
  const wanted = given.text("dialect")
  if (wanted === undefined) return undefined
  const { findDialect } = await import("./choose-dialect.ts")
  return findDialect(wanted, typeof policy === "string" ? null : policy)
}

/** Reported at the start, not by the first call of an agent. */
async function requireNetwork({ host }: Toolkeep, network: Network | undefined): Promise<void> {
  const { networks } = host.can
  if (!network) return
  if (networks.includes(network.kind)) return requireDomains(network)
  const kinds = networks.join(", ")
  throw new UsageError(`the ${host.name} host supports only these networks: ${kinds}.`)
}

async function requireDomains(network: Network): Promise<void> {
  if (network.kind !== "allow-list") return
  try {
    await checkDomains(network.domains)
  } catch (error) {
    if (error instanceof ToolFailure) throw new UsageError(`--network: ${error.message}`)
    throw error
  }
}

/** Loaded only where servers are named; they start when a tool of theirs is listed or called. */
async function bridged(policy: string | PolicyConfig): Promise<Pick<ToolkeepOptions, "sources">> {
  if (typeof policy === "string" || !policy.mcpServers) return {}
  const { bridgeServers } = await import("../../mcp/index.ts")
  return { sources: [bridgeServers(policy)] }
}

function openNamed(keep: Toolkeep, name: string): Session {
  if (!keep.host.can.durable) {
    throw new UsageError(
      `the ${keep.host.name} host does not store files, so --session cannot be used. That host was chosen because ${keep.why}.`,
    )
  }
  return keep.session(name)
}

/** `--profile` beats the file's own choice; without either, everything is allowed. */
export async function readPolicy(given: Arguments): Promise<string | PolicyConfig> {
  const config = await readConfig(given.text("config"))
  const profile = given.text("profile")
  if (!config) return profile ?? "full"
  return profile === undefined ? config : withProfile(config, profile)
}

async function readConfig(named: string | undefined): Promise<PolicyConfig | null> {
  const file = named ?? defaultFile
  try {
    return await parsePolicyYaml(await readFile(file, "utf8"), file)
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    if (code === "ENOENT" && named === undefined) return null
    throw new UsageError(`${file} can't be read (${reasons[code] ?? code}). ${remedy}`)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "it is not permitted",
}

const remedy = "Give the path of a readable YAML file with --config FILE."
