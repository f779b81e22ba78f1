import { type CutText, cutText, omissionNote } from "../../../contract/index.ts"
import { browserLimits } from "../../limits.ts"
import type { Visit } from "./visit.ts"

/** How much of a page is looked at. */
export interface Look {
  readonly elements: number
  readonly bytes: number
  readonly ms: number
}

export type Tree =
  | ({ readonly kind: "tree" } & CutText)
  /** Too large for a tree with refs. */
  | ({ readonly kind: "text"; readonly elements: number } & CutText)

/**
 * The accessibility tree of a page, or of the part that a selector names. A tree that has begun can't be
 * ended and holds up the page, so that a page that is too large for one is known before.
 */
export async function snapshotTree(
  visit: Visit,
  look: Look,
  selector = "html",
): Promise<Tree | null> {
  const page = await visit.page()
  const counted = await visit.run<Measured | null>(
    measure,
    { selector, elements: look.elements, bytes: look.bytes },
    { ms: look.ms },
  )
  if (counted === null) return null
  if (counted.text !== null) {
    return { kind: "text", elements: counted.elements, ...plainText(counted.text, look.bytes) }
  }
  const part = selector === "html" ? page : page.locator(`css=${selector}`).first()
  const take = (timeout: number) => part.ariaSnapshot({ mode: "ai", timeout, signal: visit.signal })
  // A frame that has no page, since it was refused, is waited for until the time is over.
  const expectedMs = browserLimits.treeMs + counted.elements / browserLimits.treeElementsEachMs
  const tree = await take(Math.min(expectedMs, look.ms)).catch((error) => {
    if (visit.signal.aborted || error?.name !== "TimeoutError") throw error
    return take(look.ms)
  })
  return { kind: "tree", ...cutText(withoutFalseRefs(tree), look.bytes) }
}

/** Text nodes alone: laying out a page of this size may take as long as its tree. */
const measure = `({ selector, elements: most, bytes }) => {
  const root = document.querySelector(selector)
  if (root === null) return null
  const elements = root.getElementsByTagName("*").length
  if (elements <= most) return { elements, text: null }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const parts = []
  while (walker.nextNode()) {
    const { parentElement, nodeValue } = walker.currentNode
    if (parentElement?.closest("script, style, noscript, template")) continue
    parts.push((nodeValue ?? "").replace(/\\s+/g, " "), "\\n")
  }
  const text = parts.join("").replace(/\\n\\s*\\n/g, "\\n")
  if (text.length <= 2 * bytes) return { elements, text: { head: text, tail: "", omitted: 0 } }
  const head = text.slice(0, bytes).replace(/[\\uD800-\\uDBFF]$/, "")
  const tail = text.slice(-bytes).replace(/^[\\uDC00-\\uDFFF]/, "")
  const middle = text.slice(head.length, text.length - tail.length)
  return { elements, text: { head, tail, omitted: new TextEncoder().encode(middle).length } }
}`

interface Measured {
  readonly elements: number
  /** Null where there are few enough for a tree. */
  readonly text: TextEnds | null
}

/** How a page's text begins and ends; `omitted` bytes lie between. */
interface TextEnds {
  readonly head: string
  readonly tail: string
  readonly omitted: number
}

function plainText({ head, tail, omitted }: TextEnds, maxBytes: number): CutText {
  if (omitted === 0) return cutText(head, maxBytes)
  return cutText(`${head}${omissionNote(omitted)}${tail}`, maxBytes, omitted)
}

/** "- role "name" [attributes]", where what follows is the page's own words. */
const node = /^(\s*- '?[a-z]+)( "(?:\\.|[^"\\])*")?((?: \[[a-z]+(?:=[^\]\s]*)?\])*)/

/** A page can write "[ref=e3]" into its text; only where Playwright wrote it is it a ref. */
export function withoutFalseRefs(tree: string): string {
  return tree
    .split("\n")
    .map((line) => {
      const [whole = "", start = "", name = "", attributes = ""] = node.exec(line) ?? []
      return `${start}${defused(name)}${attributes}${defused(line.slice(whole.length))}`
    })
    .join("\n")
}

function defused(text: string): string {
  return text.replace(/\[ref=/gi, "(ref=")
}

export const wholeLook = (textBytes: number): Look => ({
  elements: browserLimits.snapshotElements,
  bytes: textBytes,
  ms: browserLimits.snapshotMs,
})

export const glance: Look = {
  elements: browserLimits.glanceElements,
  bytes: browserLimits.glanceBytes,
  ms: browserLimits.glanceMs,
}
