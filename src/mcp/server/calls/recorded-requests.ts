import type { RequestId } from "@modelcontextprotocol/server"
import { DefinitionError, type Envelope } from "../../../contract/index.ts"
import { type CallEntries, findCall, type Session } from "../../../session/index.ts"
import { newestFirst, type SessionRecord } from "../../../store/index.ts"
import type { CallRequest } from "./pending-call.ts"

/** The request that a call came with, as it is recorded with the call. */
export interface Origin {
  readonly id: RequestId
  /** The connection of a legacy client, which uses no id twice. Modern clients have none. */
  readonly connection?: string | undefined
  /** The request in the client's words, where the session has a dialect. */
  readonly said?: CallRequest | undefined
}

/** What the record has about a request. */
export interface RecordedRequest {
  readonly call: string
  readonly request: CallRequest
  /** What was answered; null when nothing was, or when the call has done nothing and can be run again. */
  readonly envelope: Envelope | null
}

export type RecordedRequests = ReturnType<typeof recordedRequests>

/** Finds the latest calls of a session in its record, by the requests that they came with. */
export function recordedRequests(session: Session, most: number) {
  const { record } = session
  if (!record) {
    throw new DefinitionError(
      "Answers can be stored only in a recorded session: open Toolkeep with `record: true`.",
    )
  }
  /** The calls of requests that may be repeated, the oldest first. */
  let known: Promise<Map<string, string>> | null = null
  const calls = () => {
    known ??= record().then((one) => readCalls(one, most))
    return known
  }

  return {
    /** From now on, a request with this origin is a repeated one. */
    async add(origin: Origin, call: string): Promise<void> {
      const all = await calls()
      all.set(keyOf(origin), call)
      if (all.size > most) all.delete(all.keys().next().value ?? "")
    },
    /**
     * The call of a request with this origin, if it is a repeated one. A legacy client may repeat it as often as it
     * likes; the next request with that id of a modern client is a new one.
     */
    async take(origin: Origin): Promise<string | undefined> {
      const all = await calls()
      const call = all.get(keyOf(origin))
      if (origin.connection === undefined) all.delete(keyOf(origin))
      return call
    },
    async read(call: string): Promise<RecordedRequest | null> {
      const found = await findCall(await record(), call)
      if (!found) return null
      const { tool, input, origin } = found.call
      const request = originOf(origin)?.said ?? { tool, input }
      const isAnswered = found.end !== null && found.end.interrupted !== "harmless"
      return { call, request, envelope: isAnswered ? (found.end?.envelope ?? null) : null }
    },
    /** The latest answers, the oldest first. */
    async answers(): Promise<readonly RecordedAnswer[]> {
      const found: RecordedAnswer[] = []
      for await (const { kind, at, body } of newestFirst(await record())) {
        if (kind !== "envelope") continue
        const { call, envelope } = body as CallEntries["envelope"]
        found.push({ call, envelope, at })
        if (found.length === most) break
      }
      return found.reverse()
    },
  }
}

export interface RecordedAnswer {
  readonly call: string
  readonly envelope: Envelope
  readonly at: number
}

/** Equal for a request that is repeated. */
function keyOf({ connection = "", id }: Origin): string {
  return `${connection} ${JSON.stringify(id)}`
}

function originOf(origin: unknown): Origin | undefined {
  return origin as Origin | undefined
}

/**
 * A legacy client repeats a request of its connection by its id. The ids of modern clients may come again with
 * other requests, so only a request that the end of an earlier process has left without an answer counts as theirs.
 */
async function readCalls(record: SessionRecord, most: number): Promise<Map<string, string>> {
  const interrupted = new Set<string>()
  const found: [key: string, call: string][] = []
  for await (const { kind, body } of newestFirst(record)) {
    if (kind === "envelope") {
      const { call, interrupted: how } = body as CallEntries["envelope"]
      if (how) interrupted.add(call)
    }
    if (kind !== "call") continue
    const { call, origin: recorded } = body as CallEntries["call"]
    const origin = originOf(recorded)
    if (!origin) continue
    if (origin.connection !== undefined || interrupted.has(call)) found.push([keyOf(origin), call])
    if (found.length === most) break
  }
  // Of two with one key, the later one is set last.
  return new Map(found.reverse())
}
