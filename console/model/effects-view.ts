import { fieldOf, listOf, numberOf, textOf } from "./read-field.ts"

/** One line of what a call did: facts, or why they are not known. */
export interface EffectLine {
  readonly about: string
  readonly fact: EffectFact
}

export type EffectFact =
  | { readonly kind: "known"; readonly text: string; readonly items: readonly EffectItem[] }
  | { readonly kind: "unknown"; readonly because: string }

export interface EffectItem {
  readonly text: string
  /** Of a file, which a diff may be known of; null for everything else. */
  readonly path: string | null
}

/** What a call did, line by line. Where nobody looked, each line says so. */
export function effectLines(effects: unknown): readonly EffectLine[] {
  const files = fieldOf(effects, "files")
  const network = fieldOf(effects, "network")
  const lines: readonly [string, unknown, (value: unknown) => EffectFact][] = [
    ["Files made", belowOf(files, "created"), (value) => listed(value, fileText)],
    ["Files changed", belowOf(files, "changed"), (value) => listed(value, fileText)],
    ["Files removed", belowOf(files, "removed"), (value) => listed(value, fileText)],
    ["Hosts reached", belowOf(network, "reached"), (value) => listed(value, targetText)],
    ["Hosts refused", belowOf(network, "refused"), (value) => listed(value, targetText)],
    ["Processes left", fieldOf(effects, "processes"), (value) => listed(value, processText)],
    ["Peak memory", fieldOf(effects, "memory"), memoryFact],
    ["Output left out", fieldOf(effects, "output"), outputFact],
  ]
  return lines.map(([about, value, read]) => ({ about, fact: factOf(value, read) }))
}

/** What is left of a call that was ended by hand, in a sentence. */
export function leftText(effects: unknown): string {
  const fact = factOf(fieldOf(effects, "processes"), (value) => listed(value, processText))
  if (fact.kind === "unknown") return `What is left of it is not known, because ${fact.because}.`
  const [first, ...others] = fact.items
  if (!first) return "Nothing of it runs any more."
  return `Still running: ${[first, ...others].map(({ text }) => text).join("; ")}`
}

/** Why the files may be more than those named, and which other calls could have done the same. */
export function effectNotes(effects: unknown): readonly string[] {
  const incomplete = textOf(fieldOf(effects, "files"), "incomplete")
  const shared = listOf(effects, "shared")
  return [
    ...(incomplete === null ? [] : [`There may be more files: ${incomplete}`]),
    ...(shared.length === 0
      ? []
      : [
          `${shared.length} other calls ran in this sandbox meanwhile; what they did is in here too.`,
        ]),
  ]
}

/** A part of something; where the whole is unknown, so is the part. */
function belowOf(whole: unknown, name: string): unknown {
  return textOf(whole, "unknown") === null ? fieldOf(whole, name) : whole
}

function factOf(value: unknown, read: (value: unknown) => EffectFact): EffectFact {
  const unknown = textOf(value, "unknown")
  if (unknown !== null) return { kind: "unknown", because: unknown }
  if (value === undefined || value === null) {
    return { kind: "unknown", because: "nobody looked at it" }
  }
  return read(value)
}

function listed(value: unknown, text: (item: unknown) => string): EffectFact {
  const first = listOf(value, "first")
  const count = numberOf(value, "count") ?? first.length
  const more = count - first.length
  const rest = { text: `and ${more} more`, path: null }
  const items = [
    ...first.map((item) => ({ text: text(item), path: filePath(item) })),
    ...(more > 0 ? [rest] : []),
  ]
  return { kind: "known", text: count === 0 ? "none" : String(count), items }
}

function filePath(item: unknown): string | null {
  return textOf(item, "type") === "file" ? textOf(item, "path") : null
}

function fileText(item: unknown): string {
  const bytes = numberOf(item, "bytes")
  return `${textOf(item, "path") ?? ""}${bytes === null ? "" : ` (${bytes} bytes)`}`
}

function targetText(item: unknown): string {
  const rule = textOf(item, "rule")
  const target = `${textOf(item, "target") ?? ""}:${numberOf(item, "port") ?? ""}`
  return rule === null ? target : `${target}, by ${rule}`
}

function processText(item: unknown): string {
  return `${numberOf(item, "pid") ?? ""} ${textOf(item, "command") ?? ""}`
}

function memoryFact(value: unknown): EffectFact {
  const peak = numberOf(value, "peak")
  if (peak === null) return { kind: "unknown", because: "it was not measured" }
  return { kind: "known", text: `${(peak / 1024 / 1024).toFixed(1)} MiB`, items: [] }
}

function outputFact(value: unknown): EffectFact {
  const cut = numberOf(value, "cut")
  if (cut === null) return { kind: "unknown", because: "it was not counted" }
  return { kind: "known", text: cut === 0 ? "nothing" : `${cut} bytes`, items: [] }
}
