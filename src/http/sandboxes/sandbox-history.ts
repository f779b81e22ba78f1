import type { RouteAnswer } from "../../api/index.ts"
import type { Network } from "../../contract/index.ts"
import type { CallEntries, SandboxEntries } from "../../session/index.ts"
import type { RecordEntry, RecordReader } from "../../store/index.ts"
import { httpLimits } from "../limits.ts"

type History = RouteAnswer<"sandboxes.history">
type NetworkLog = RouteAnswer<"sandboxes.network">

interface Asked {
  readonly sandbox: string
  readonly before?: number | undefined
}

/** What happened to a sandbox and which calls ran in it, the newest first. */
export async function readHistory(
  reader: RecordReader,
  { sandbox, before }: Asked,
): Promise<History> {
  /** Where calls ran that name their sandbox in their arguments: their effects come after them, and are read first. */
  const ranIn = new Map<string, string>()
  const eventOf = ({ sequence, at, kind, body }: RecordEntry): History["events"] => {
    const facts = { sequence, at_ms: at }
    if (kind === "call-effects") {
      const { call, sandbox: used } = body as CallEntries["call-effects"]
      ranIn.set(call, used)
    }
    if (kind === "call") {
      const { call, tool, verdict, sandbox: chosen } = body as CallEntries["call"]
      const isRefused = Object(verdict).kind === "deny"
      const isIn = (ranIn.get(call) ?? chosen) === sandbox
      return isIn && !isRefused ? [{ ...facts, what: "call", call, tool }] : []
    }
    if (kind !== "sandbox") return []
    const { sandbox: about, change, ...rest } = body as SandboxEntries["sandbox"]
    if (about === sandbox) return [{ ...facts, what: change, ...rest }]
    // The other one of two has its own side of it.
    if (rest.to !== sandbox) return []
    const what = change === "forked" ? "forked-from" : "received"
    return [{ ...facts, what, ...rest, to: about }]
  }
  const { found, next } = await readBack(reader, before, eventOf)
  return { events: found, next }
}

/** What commands in a sandbox reached and were refused, the newest first. */
export async function readNetworkLog(
  reader: RecordReader,
  { sandbox, before }: Asked,
): Promise<Pick<NetworkLog, "decisions" | "next">> {
  const { found, next } = await readBack(reader, before, ({ sequence, at, kind, body }) => {
    if (kind !== "network-decided") return []
    const entry = body as SandboxEntries["network-decided"]
    if (entry.sandbox !== sandbox) return []
    const facts = { sequence, at_ms: at }
    const left = entry.more > 0 ? [{ ...facts, ...unnamed, times: entry.more }] : []
    const named = entry.decisions.map((decision) => ({ ...facts, ...decision }))
    return [...left, ...named.toReversed()]
  })
  return { decisions: found, next }
}

/** So many in a short time that they were only counted. */
const unnamed = { target: null, port: null, allowed: null, rule: null }

/** Why the log may lack something; null where it is whole. */
export function unwatched(network: Network["kind"]): string | null {
  switch (network) {
    case "allow-list":
      return null
    case "full":
      return "the sandbox has the full network, which nobody watches"
    case "none":
      return "the sandbox has no network, and nobody sees what is tried all the same"
    default:
      return network satisfies never
  }
}

/** From an entry backwards, until there is a page of what is looked for, or enough was read for one answer. */
async function readBack<Found>(
  reader: RecordReader,
  before = Number.MAX_SAFE_INTEGER,
  look: (entry: RecordEntry) => readonly Found[],
): Promise<{ readonly found: Found[]; readonly next: number | null }> {
  const found: Found[] = []
  let next = before
  for (let read = 0; read < httpLimits.historyEntries; ) {
    const entries = await reader.entries({ before: next })
    if (entries.length === 0) return { found, next: null }
    for (const entry of entries) {
      found.push(...look(entry))
      next = entry.sequence
      if (found.length >= httpLimits.historyPage) return { found, next: next > 1 ? next : null }
    }
    read += entries.length
  }
  return { found, next: next > 1 ? next : null }
}
