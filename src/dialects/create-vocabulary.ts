import {
  apiNameOf,
  DefinitionError,
  type Envelope,
  type FailureDetails,
  failure,
  isObject,
  limits,
  type RenderedEnvelopes,
  renderEnvelope,
  type Success,
  type Tool,
} from "../contract/index.ts"
import { suggest } from "../kit/index.ts"
import { searchToolName } from "../tools/index.ts"
import { type CompiledEntry, compileEntry, toolsOf } from "./compile-entry.ts"
import type { AnswerForm, DialectTable } from "./dialect-table.ts"
import { type CallFacts, withOwnText } from "./dialect-texts.ts"
import { createHomePaths } from "./home-paths.ts"
import { translateCall, translateEnvelope } from "./translate-call.ts"
import { createWords } from "./translate-words.ts"

/** An answer in one of the forms that dialects have. */
export type DialectAnswer = Envelope | RenderedEnvelopes[Exclude<AnswerForm, "envelope">]

/** A dialect as a session uses it. */
export interface Vocabulary {
  readonly dialect: string
  /** The names of its tools, also of those that this host lacks. */
  readonly names: readonly string[]
  /** Its tools, over the canonical ones among these. */
  tools(all: readonly Tool[]): Tool[]
  /** Those that keep their names beside it: all but the canonical ones, and tools.search. */
  others(all: readonly Tool[]): Tool[]
  /** Throws a DefinitionError for a tool whose name a model could not tell from one of the dialect. */
  requireFree(tool: Tool): void
  /** What a call in the dialect's words is in the canonical ones. */
  translate(name: string, input: unknown, setting: CallSetting): TranslatedRequest
  /** An envelope in the dialect's form of an answer. */
  render(envelope: Envelope, show: (envelope: Success) => string): DialectAnswer
}

/** What a session knows of a call beside its words. */
export interface CallSetting {
  /** Every tool there is now. */
  readonly tools: () => readonly Tool[]
  /** Whether the policy allows the tool at all. */
  readonly isAllowed: (tool: Tool) => boolean
  /** The caller's own deadline. */
  readonly timeoutMs?: number | undefined
}

export interface TranslatedRequest {
  readonly tool: string
  readonly input: unknown
  /** Why the call is not run. */
  readonly refusal?: FailureDetails
  /** The canonical answer in the dialect's words. */
  readonly answer: (envelope: Envelope) => Envelope
}

export interface VocabularyOptions {
  /** Where commands start in every sandbox; undefined where that is not always the same. */
  readonly home: string | undefined
  /** The names of all canonical tools. */
  readonly canonical: ReadonlySet<string>
  /** What commands reach and which programs they have, in sentences for a model. */
  readonly environment?: string
}

export function createVocabulary(
  table: DialectTable,
  { home, canonical, environment }: VocabularyOptions,
): Vocabulary {
  const { texts = {} } = table
  const homes = createHomePaths(table.home, home)
  const names = Object.keys(table.tools)
  const byApiName = indexNames(names)
  const words = createWords(table, canonical)
  const compiled = new Map<string, { readonly entry: CompiledEntry; readonly tool: Tool }>()
  const keepsSearch = !words.tools.has(searchToolName)
  const isOther = ({ name }: Tool) =>
    !canonical.has(name) || (keepsSearch && name === searchToolName)

  /** Compiled again only when other tools are there than last time. */
  function compile(name: string, all: ReadonlyMap<string, Tool>) {
    const entry = table.tools[name]
    if (!entry) return null
    const before = compiled.get(name)
    if (before && isSame(before.entry.tools, toolsOf(entry, all))) return before
    const made = compileEntry(name, entry, {
      canonical: all,
      home: table.home ?? home,
      homes,
      environment,
    })
    if (!made) return null
    const now = { entry: made, tool: asTool(made) }
    compiled.set(name, now)
    return now
  }
  const tools = (all: readonly Tool[]) => {
    const byName = new Map(all.map((tool) => [tool.name, tool]))
    return names.flatMap((name) => compile(name, byName)?.tool ?? [])
  }
  const unknownTool = (asked: string, all: readonly Tool[]): FailureDetails => {
    const known = [...tools(all), ...all.filter(isOther)].map(({ name }) => name)
    const hint = suggest(asked, known, "list the tools there are.")
    const shown = asked.slice(0, limits.quotedCharacters * 2)
    return {
      kind: "tool_not_found",
      message: `There is no tool ${JSON.stringify(shown)}; ${hint}`,
    }
  }

  return {
    dialect: table.dialect,
    names,
    tools,
    others: (all) => all.filter(isOther),
    requireFree({ name }) {
      const taken = byApiName.get(apiNameOf(name))
      if (taken === undefined) return
      throw new DefinitionError(
        `Tool ${JSON.stringify(name)}: the dialect ${table.dialect} has a tool ` +
          `${JSON.stringify(taken)}, which a model could not tell from it; choose another name.`,
      )
    },
    translate(asked, input, setting) {
      const all = setting.tools()
      const name = Object.hasOwn(table.tools, asked) ? asked : byApiName.get(asked)
      const byName = new Map(all.map((tool) => [tool.name, tool]))
      const found = name === undefined ? null : compile(name, byName)
      if (!found) {
        const findOther = () =>
          setting.tools().find((tool) => tool.name === asked || apiNameOf(tool.name) === asked)
        const other = findOther()
        const refusal = other && !isOther(other) ? unknownTool(asked, all) : undefined
        return {
          ...{ tool: asked, input },
          ...(refusal && { refusal }),
          answer: (envelope) => {
            if (envelope.ok) return words.translateEnvelope(envelope)
            const isUnknown = envelope.kind === "tool_not_found"
            const said = isUnknown
              ? failure(envelope.tool ?? asked, unknownTool(asked, setting.tools()))
              : words.translateEnvelope(envelope)
            const { name: tool = asked, inputSchema = {} } = findOther() ?? {}
            const facts = { input, inputSchema, tool: isUnknown ? asked : tool }
            return withOwnText(said, texts, { ...facts, ...deadlineOf(setting, findOther()) })
          },
        }
      }
      const { entry } = found
      const call = translateCall(entry, input)
      const [first] = entry.tools.values()
      const tool = call.kind === "call" ? call.tool : first
      const facts: CallFacts = {
        ...{ tool: entry.name, inputSchema: entry.inputSchema, input },
        ...deadlineOf(setting, tool, call.kind === "call" ? call.input : {}),
      }
      if (call.kind === "refused") {
        return {
          ...{ tool: tool?.name ?? entry.name, input, refusal: call.failure },
          answer: (envelope) => {
            const said = { ...envelope, tool: entry.name }
            return said.ok ? said : withOwnText(said, texts, facts)
          },
        }
      }
      const { notes } = call
      return {
        ...{ tool: call.tool.name, input: call.input },
        answer: (envelope) =>
          homes.toDialect(translateEnvelope(entry, envelope, { notes, words, texts, facts })),
      }
    },
    render: (envelope, show) =>
      table.answer === "envelope" ? envelope : renderEnvelope(table.answer, envelope, { show }),
  }
}

/** What the policy says of the tool, and the shortest deadline that a call of it has. */
function deadlineOf(
  { isAllowed, timeoutMs }: CallSetting,
  tool: Tool | undefined,
  input: unknown = {},
): Pick<CallFacts, "isAllowed" | "afterMs"> {
  const own = isObject(input) ? [input.timeout_ms, input.idle_timeout_ms] : []
  const all = [...own, tool?.timeoutMs, timeoutMs].filter((ms) => typeof ms === "number")
  const afterMs = all.length === 0 ? undefined : Math.min(...all)
  return { isAllowed: tool === undefined || isAllowed(tool), afterMs }
}

/** Refuses two names that are one to a model. */
function indexNames(names: readonly string[]): ReadonlyMap<string, string> {
  const byApiName = new Map<string, string>()
  for (const name of names) {
    const taken = byApiName.get(apiNameOf(name))
    if (taken !== undefined) {
      throw new DefinitionError(
        `${JSON.stringify(name)} and ${JSON.stringify(taken)} are both ` +
          `${JSON.stringify(apiNameOf(name))} to a model; rename one of them.`,
      )
    }
    byApiName.set(apiNameOf(name), name)
  }
  return byApiName
}

function isSame(one: ReadonlyMap<string, Tool>, other: ReadonlyMap<string, Tool>): boolean {
  return one.size === other.size && [...one].every(([choice, tool]) => other.get(choice) === tool)
}

/** For listing and showing: a session runs the canonical tool behind it. */
function asTool({ name, entry, description, inputSchema, check, tools }: CompiledEntry): Tool {
  const all = [...tools.values()]
  const longest = Math.max(...all.map(({ timeoutMs }) => timeoutMs ?? Number.POSITIVE_INFINITY))
  const shows = new Set(all.map(({ show }) => show))
  const [show = null] = shows
  return {
    name,
    title: all[0]?.title ?? name,
    description,
    inputSchema,
    check,
    outputSchema: null,
    groups: [...new Set(all.flatMap(({ groups }) => groups))],
    effects: [...new Set(all.flatMap(({ effects }) => effects))],
    timeoutMs: Number.isFinite(longest) ? longest : null,
    pathArguments: [],
    paths: () => [],
    sandbox: () => undefined,
    unavailableReason: () => {
      const reasons = all.map((tool) => tool.unavailableReason())
      return reasons.includes(null) ? null : (reasons[0] ?? null)
    },
    standard: null,
    run: () => {
      throw new Error(`${name} is called with session.start.`)
    },
    show: entry.result || shows.size > 1 ? null : show,
  }
}
