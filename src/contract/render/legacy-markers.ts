import type { Envelope } from "../envelope/envelope.ts"
import { isObject, parseJson } from "../schema/json.ts"

/** A block of an older chat's text form of artifacts and charts. */
export type MarkedBlock =
  | { readonly kind: "artifact"; readonly content: string; readonly data: unknown }
  | { readonly kind: "chart"; readonly content: string; readonly data: unknown }

const kinds = { SHARED_ARTIFACT: "artifact", CHART: "chart" } as const
const startMark = /---(SHARED_ARTIFACT|CHART)_START---/g

/**
 * The artifacts and charts that a tool of before put between markers into its text, in their order.
 * `data` is the block's JSON, or null where it is not JSON. A block without an end is ignored. Tools of
 * today answer with an artifact instead.
 */
export function readMarkers(from: string | Envelope): readonly MarkedBlock[] {
  const text = typeof from === "string" ? from : textOf(from)
  const blocks: MarkedBlock[] = []
  // A hostile text starts many blocks and ends none; each kind's end is looked for in vain once.
  const endless = new Set<string>()
  let after = 0
  for (const start of text.matchAll(startMark)) {
    const name = start[1] as keyof typeof kinds
    if (start.index < after || endless.has(name)) continue
    const endMark = `---${name}_END---`
    const contentStart = start.index + start[0].length
    const end = text.indexOf(endMark, contentStart)
    if (end < 0) {
      endless.add(name)
      continue
    }
    const content = text.slice(contentStart, end).trim()
    blocks.push({ kind: kinds[name], content, data: parseJson(content) ?? null })
    after = end + endMark.length
  }
  return blocks
}

function textOf(envelope: Envelope): string {
  if (!envelope.ok || !isObject(envelope.result)) return ""
  const { text } = envelope.result
  return typeof text === "string" ? text : ""
}
