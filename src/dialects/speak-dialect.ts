import {
  type Envelope,
  failure,
  limits,
  type RenderedEnvelopes,
  renderEnvelope,
  type Tool,
  type ToolDescription,
} from "../contract/index.ts"
import { createId, nearest } from "../kit/index.ts"
import type { RunningCall } from "../runtime/index.ts"
import { type CompiledEntry, compileEntry } from "./compile-entry.ts"
import type { AnswerForm, DialectTable } from "./dialect-table.ts"
import { translateCall, translateEnvelope } from "./translate-call.ts"

/** What a vocabulary needs of a session. */
export interface Spoken<Options> {
  tools(asked?: Asker & { readonly all?: boolean }): readonly Tool[]
  /** Also those that may not be used or can't: a call of one is answered with why. */
  allTools(): readonly Tool[]
  start(tool: string, input?: unknown, options?: Options): RunningCall
}

interface Asker {
  readonly agent?: string | undefined
  readonly provider?: string | undefined
}

/** The answers of all forms. */
export interface DialectAnswers extends Pick<RenderedEnvelopes, Exclude<AnswerForm, "envelope">> {
  readonly envelope: Envelope
}

/** A session in another vocabulary. Policy, approvals and events stay in the canonical one. */
export interface DialectSession<Options> {
  readonly dialect: string
  tools(asked?: Asker): readonly ToolDescription[]
  /** Its envelope is in the vocabulary's words. */
  start(tool: string, input?: unknown, options?: Options): RunningCall
  /** An envelope in the vocabulary's own form of an answer. */
  render(envelope: Envelope): DialectAnswers[AnswerForm]
  /** Starts, waits and renders. */
  call(tool: string, input?: unknown, options?: Options): Promise<DialectAnswers[AnswerForm]>
}

export interface SpeakOptions {
  /** Where commands start in every sandbox of the session's host. */
  readonly home?: string | undefined
}

export function speakDialect<Options extends Asker>(
  table: DialectTable,
  session: Spoken<Options>,
  { home }: SpeakOptions = {},
): DialectSession<Options> {
  const compile = (tools: readonly Tool[]): readonly CompiledEntry[] => {
    const canonical = new Map(tools.map((tool) => [tool.name, tool]))
    return Object.entries(table.tools)
      .map(([name, entry]) => compileEntry(name, entry, { canonical, home }))
      .filter((entry) => entry !== null)
  }
  const start: DialectSession<Options>["start"] = (name, input, options) => {
    const entries = compile(session.allTools())
    const compiled = entries.find((entry) => entry.name === name)
    if (!compiled) return answered(unknownTool(name, entries))
    const translated = translateCall(compiled, input)
    if (translated.kind === "refused") return answered(failure(name, translated.failure))
    const running = session.start(translated.tool.name, translated.input, options)
    const envelope = running.envelope.then((canonical) =>
      translateEnvelope(compiled, canonical, translated.notes),
    )
    return { ...running, envelope }
  }
  const render = (envelope: Envelope) =>
    table.answer === "envelope" ? envelope : renderEnvelope(table.answer, envelope)
  return {
    dialect: table.dialect,
    // A vocabulary is short, and has no word for searching the others.
    tools: (asked) => compile(session.tools({ ...asked, all: true })).map(describe),
    start,
    render,
    call: async (name, input, options) => render(await start(name, input, options).envelope),
  }
}

function describe({ name, entry, inputSchema, tools }: CompiledEntry): ToolDescription {
  const all = [...tools.values()]
  const longest = all.map(({ timeoutMs }) => timeoutMs ?? Number.POSITIVE_INFINITY)
  const timeoutMs = Math.max(...longest)
  return {
    name,
    title: all[0]?.title ?? name,
    description: entry.description,
    inputSchema,
    outputSchema: null,
    groups: [...new Set(all.flatMap(({ groups }) => groups))],
    effects: [...new Set(all.flatMap(({ effects }) => effects))],
    timeoutMs: Number.isFinite(timeoutMs) ? timeoutMs : null,
  }
}

function answered(envelope: Envelope): RunningCall {
  const tooLate = () => {}
  const id = createId("call")
  return { id, envelope: Promise.resolve(envelope), terminate: tooLate, cancel: tooLate }
}

function unknownTool(name: string, entries: readonly CompiledEntry[]): Envelope {
  const shown = name.slice(0, limits.quotedCharacters * 2)
  const close = nearest(
    name,
    entries.map((entry) => entry.name),
  )
  const hint = close ? `did you mean ${JSON.stringify(close)}?` : "list the tools there are."
  return failure(shown, {
    kind: "tool_not_found",
    message: `There is no tool ${JSON.stringify(shown)}; ${hint}`,
  })
}
