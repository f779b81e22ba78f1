import {
  type Envelope,
  type FailureDetails,
  failure,
  failureFrom,
  renderEnvelope,
} from "../contract/index.ts"
import type { Approver } from "../runtime/index.ts"
import { answerFiles, type CallEntries, type Session } from "../session/index.ts"
import { shortForm } from "./context/edit-context.ts"
import { agentLimits } from "./limits.ts"
import type { AssistantMessage, CallResult, ImagePart, ModelCall, ToolMessage } from "./messages.ts"
import type { Trace } from "./trace-run.ts"

/** Who calls, as the policy and the record know it. */
export interface RoundOptions {
  readonly agent?: string | undefined
  readonly ancestors?: readonly string[] | undefined
  readonly provider?: string | undefined
  readonly signal: AbortSignal
  readonly approve?: Approver | undefined
  /** Why a call of this round is not run, beside what the policy says; null when it may. */
  readonly refuse: (call: ModelCall) => FailureDetails | null
  /** Whether a call waits for a person who answers later. */
  readonly isParked: (call: string) => boolean
  readonly trace: Trace | null
}

export type Round =
  | { readonly kind: "answered"; readonly answers: readonly AnsweredCall[] }
  /** Some calls wait for a person; what the others answered is in the record. */
  | { readonly kind: "waiting" }

export interface AnsweredCall {
  readonly call: ModelCall
  readonly envelope: Envelope
}

export function callsOf({ content }: AssistantMessage): readonly ModelCall[] {
  return content.filter((part) => part.type === "call")
}

/** Runs the calls of an answer that have no envelope yet, several at a time, and gives all envelopes in call order. */
export async function answerRound(
  session: Session,
  calls: readonly ModelCall[],
  options: RoundOptions & { readonly known: ReadonlyMap<string, Envelope> },
): Promise<Round> {
  const { known, isParked, trace } = options
  const envelopes = new Map(known)
  const open = calls.filter(({ id }) => !known.has(id))
  await forEachAtOnce(open, agentLimits.parallelCalls, async (call) => {
    const envelope = await (trace
      ? trace.call({ session, call, isParked }, () => runCall(session, call, options))
      : runCall(session, call, options))
    if (!isParked(call.id)) envelopes.set(call.id, envelope)
  })
  const answers: AnsweredCall[] = []
  for (const call of calls) {
    const envelope = envelopes.get(call.id)
    if (!envelope) return { kind: "waiting" }
    answers.push({ call, envelope })
  }
  return { kind: "answered", answers }
}

async function runCall(session: Session, call: ModelCall, options: RoundOptions) {
  const { agent, ancestors, provider, signal, approve, refuse } = options
  try {
    const { envelope } = session.start(call.tool, call.input, {
      ...{ id: call.id, agent, ancestors, provider, signal },
      ...(approve && { approve }),
      refusal: refuse(call) ?? undefined,
    })
    return await envelope
  } catch (error) {
    return failure(call.tool, failureFrom(error))
  }
}

async function forEachAtOnce<Item>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]()
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker))
}

/** The envelopes of calls that earlier processes have answered on this branch. */
export async function knownEnvelopes(
  session: Session,
  calls: readonly ModelCall[],
  after: number,
): Promise<ReadonlyMap<string, Envelope>> {
  const known = new Map<string, Envelope>()
  const ids = new Set(calls.map(({ id }) => id))
  const record = await session.record?.()
  for (let last = after; record && last < record.head().entry; ) {
    const entries = await record.entries({ after: last })
    for (const { kind, body } of entries) {
      if (kind !== "envelope") continue
      const { call, envelope } = body as CallEntries["envelope"]
      if (ids.has(call)) known.set(call, envelope)
    }
    const newest = entries.at(-1)
    if (!newest) break
    last = newest.sequence
  }
  return known
}

/** The round's answers as the model reads them. `notes` are added to single answers, by the ids of their calls. */
export async function toolMessage(
  session: Session,
  answers: readonly AnsweredCall[],
  notes: ReadonlyMap<string, string>,
): Promise<ToolMessage> {
  const results = await Promise.all(
    answers.map(async ({ call, envelope }): Promise<CallResult> => {
      const files = await answerFiles(envelope, session.artifacts)
      const rendered = renderEnvelope("mcp", session.forModel(envelope), { show: session.show })
      const images = files.flatMap(({ media }): ImagePart[] =>
        media?.type === "image"
          ? [{ type: "image", mediaType: media.mimeType, data: media.data }]
          : [],
      )
      const note = notes.get(call.id)
      const texts = rendered.content.flatMap((part) => (part.type === "text" ? [part.text] : []))
      const text = [...texts, ...(note ? [`[note] ${note}`] : [])].join("\n")
      const short = shortForm(envelope, call.id, text)
      const { isError } = rendered
      const content = [{ type: "text" as const, text }, ...images]
      return { call, content, isError, ...(short !== undefined && { short }) }
    }),
  )
  return { role: "tool", results }
}
