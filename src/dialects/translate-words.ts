import type { Envelope, Failure } from "../contract/index.ts"
import type { DialectTable } from "./dialect-table.ts"

export type Words = ReturnType<typeof createWords>

/** Names that hold for one tool only. */
export interface OwnWords {
  readonly tool: string
  readonly canonical: string
  /** Canonical arguments, and what the tool calls them. */
  readonly arguments: ReadonlyMap<string, string>
  /** Canonical arguments that it does not have. */
  readonly absent: readonly string[]
}

/** The canonical names of tools in texts for a model, in a dialect's words. */
export function createWords(table: DialectTable, canonical: ReadonlySet<string>) {
  /** What the dialect calls a canonical tool. */
  const tools = new Map<string, string>()
  for (const [name, { tool }] of Object.entries(table.tools)) {
    for (const one of typeof tool === "string" ? [tool] : Object.values(tool.of)) {
      if (!tools.has(one)) tools.set(one, name)
    }
  }
  const canonicalName = new RegExp(
    `(?<![\\w./-])(?:${alternatives(canonical)})(?![\\w/-]|\\.\\w)`,
    "g",
  )

  /** A text without names that the dialect does not have; empty where nothing else was said. */
  function translate(text: string, own?: OwnWords): string {
    const missing = new Set<string>()
    const named = text.replaceAll(canonicalName, (name) => {
      const found = name === own?.canonical ? own.tool : tools.get(name)
      if (found === undefined && name !== "tools.search") missing.add(name)
      return found ?? name
    })
    const said = [...missing].reduce(withoutMention, named)
    if (!own) return said
    const known = own.absent.filter(isSeveralWords).reduce(withoutArgument, said)
    return renameArguments(renameParts(known, own), own.arguments)
  }
  function translateFailure(failed: Failure, own?: OwnWords): Failure {
    const { expected, ...rest } = failed
    const wanted = expected === undefined ? "" : translate(expected, own)
    return {
      ...rest,
      message: translate(failed.message, own) || "The call failed.",
      ...(wanted === "" ? {} : { expected: wanted }),
    }
  }
  return {
    tools,
    translate,
    translateEnvelope<Answer extends Envelope>(envelope: Answer, own?: OwnWords): Answer {
      if (!envelope.ok) return { ...envelope, ...translateFailure(envelope, own) }
      const warnings = envelope.warnings?.map((warning) => translate(warning, own))
      return { ...envelope, ...(warnings && { warnings: warnings.filter((one) => one !== "") }) }
    },
  }
}

export function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
}

function alternatives(names: Iterable<string>): string {
  return [...names].map(escapePattern).join("|")
}

/** Drops as little as possible: "with NAME", what stands in brackets, a clause, or the sentence. */
function withoutMention(text: string, name: string): string {
  const mention = escapePattern(name)
  const rest = text
    .replaceAll(new RegExp(` (?:with|by) ${mention}(?![\\w-])`, "g"), "")
    .replaceAll(new RegExp(` \\([^()]*${mention}[^()]*\\)`, "g"), "")
  return withoutClause(rest, mention)
}

function withoutClause(text: string, mention: string): string {
  return text
    .replaceAll(new RegExp(`[;:] [^.;:]*${mention}[^;]*?(?=\\.(?:\\s|$)|;|$)`, "g"), "")
    .replaceAll(new RegExp(`(?:^|(?<=[.!?] ))[^.!?]*${mention}.*?(?:[.!?](?= |$)|$) ?`, "g"), "")
    .trim()
}

/** A text without what it says of an argument that the dialect does not have; all of it where nothing else is said. */
export function withoutArgument(text: string, name: string): string {
  return withoutClause(text, `\\b${escapePattern(name)}\\b`) || text
}

/** Parts of arguments, which messages quote: "edits[0].search"; and what could be set instead: "or fixed: true". */
function renameParts(whole: string, { arguments: renamed, absent }: OwnWords): string {
  const text = whole.replaceAll(/,? or ([a-z_]+): (?:true|false)[^.;]*/g, (said, argument) =>
    absent.includes(argument) ? "" : said,
  )
  const parts = text.matchAll(/"(([a-z_]+)\[\d+\][\w.]*)"/g)
  const ours = [...parts].filter(([, , argument = ""]) => absent.includes(argument))
  return ours.reduce((said, [quoted, part = ""]) => {
    const name = renamed.get(part)
    return name === undefined
      ? withoutClause(said, escapePattern(quoted)) || said
      : said.replaceAll(quoted, `"${name}"`)
  }, text)
}

/** "path" and "content" are also English. */
function isSeveralWords(name: string): boolean {
  return name.includes("_")
}

/** Names of several words only. Quoted text is not ours. */
function renameArguments(text: string, renamed: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /"(?:[^"\\]|\\.)*"|(?<![a-z])[a-z]+(?:_[a-z]+)+/g,
    (part) => renamed.get(part) ?? part,
  )
}
