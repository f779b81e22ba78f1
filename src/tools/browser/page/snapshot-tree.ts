import { cutText, limits } from "../../../contract/index.ts"
import { browserLimits } from "../../limits.ts"
import type { Visit } from "./visit.ts"

/** How much of a page is looked at. */
export interface Look {
  readonly elements: number
  readonly bytes: number
  readonly ms: number
}

export type Tree =
  | { readonly kind: "tree"; readonly text: string; readonly omittedBytes: number }
  /** Too large for a tree with refs. */
  | { readonly kind: "text"; readonly text: string; readonly elements: number }

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
    return {
      kind: "text",
      text: cutText(counted.text, look.bytes).text,
      elements: counted.elements,
    }
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
  let text = ""
  while (text.length < bytes && walker.nextNode()) {
    const { parentElement, nodeValue } = walker.currentNode
    if (parentElement?.closest("script, style, noscript, template")) continue
    text += (nodeValue ?? "").replace(/\\s+/g, " ") + "\\n"
  }
  return { elements, text: text.replace(/\\n\\s*\\n/g, "\\n").slice(0, bytes) }
}`

interface Measured {
  readonly elements: number
  /** Null where there are few enough for a tree. */
  readonly text: string | null
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

export const wholeLook: Look = {
  elements: browserLimits.snapshotElements,
  // Room for the note on what was left out.
  bytes: limits.textBytes - 1_000,
  ms: browserLimits.snapshotMs,
}

export const glance: Look = {
  elements: browserLimits.glanceElements,
  bytes: browserLimits.glanceBytes,
  ms: browserLimits.glanceMs,
}
