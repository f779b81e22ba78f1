import { Defuddle } from "defuddle/node"
import { parseHTML } from "linkedom"
import { webLimits } from "../../limits.ts"
import { decodeText } from "../page-content.ts"
import type { Conversion, ConversionJob } from "./conversion-worker.ts"

type HtmlJob = Extract<ConversionJob, { kind: "html" }>

/** The main part of a page, without menus, banners and scripts. Nothing is fetched for it. */
export async function convertHtml(job: HtmlJob, bytes: Uint8Array): Promise<Conversion> {
  const { text, notes } = decodeText(bytes, job.charset)
  const html = whole(text)
  const page = documentOf(html, job.url)
  if (!nestsDeeper(page, webLimits.pageDepth)) {
    try {
      const found = await mainPart(page, job)
      if (found.text.trim() !== "") return { ...found, notes }
    } catch {
      // Pages that the extraction stumbles over still have their words.
    }
  }
  // Parsed again, because the extraction may have changed the first document.
  const { document } = parseHTML(html)
  const words = pageText(document.body ?? document)
  const note = "The main part of the page was not found: this is all of its text."
  return {
    title: document.title ?? "",
    text: words,
    format: "text",
    notes: words === "" ? notes : [...notes, note],
  }
}

type Page = ReturnType<typeof documentOf>

async function mainPart(page: Page, { url, format }: HtmlJob) {
  const { title, content } = await Defuddle(page, url, {
    markdown: format === "markdown",
    useAsync: false,
  })
  if (format !== "text") return { title, text: content, format }
  const inner = parseHTML(whole(content)).document
  return { title, text: pageText(inner.body ?? inner), format }
}

/** With what the extraction asks for and linkedom lacks. */
function documentOf(html: string, url: string) {
  const { document } = parseHTML(html)
  document.styleSheets ??= []
  document.URL = url
  const view = document.defaultView
  if (view && !view.getComputedStyle) view.getComputedStyle = () => ({ display: "" })
  return document
}

/** A parser without a root makes no document. */
function whole(html: string): string {
  return /<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`
}

const unseen = new Set([
  "SCRIPT",
  "STYLE",
  "NOSCRIPT",
  "TEMPLATE",
  "HEAD",
  "SVG",
  "IFRAME",
  "OBJECT",
])
const blocks =
  /^(ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BR|DD|DIV|DL|DT|FIGCAPTION|FIGURE|FOOTER|FORM|H[1-6]|HEADER|HR|LI|MAIN|NAV|OL|P|PRE|SECTION|TABLE|TBODY|THEAD|TR|UL)$/
const elementNode = 1
const textNode = 3

/** What is used of a DOM's node. */
interface PageNode {
  readonly nodeName: string
  readonly nodeType: number
  readonly nodeValue: string | null
  readonly firstChild: PageNode | null
  readonly nextSibling: PageNode | null
  readonly parentNode: PageNode | null
}

/** The words under a node, a line for each block. Walks without recursion: pages nest as deep as they like. */
function pageText(root: PageNode): string {
  const parts: string[] = []
  let node: PageNode | null = root
  while (node) {
    const name = node.nodeName.toUpperCase()
    if (node.nodeType === textNode) parts.push((node.nodeValue ?? "").replace(/\s+/g, " "))
    if (blocks.test(name)) parts.push("\n")
    const isEntered: boolean = node.nodeType !== elementNode || !unseen.has(name)
    node = (isEntered ? node.firstChild : null) ?? following(node, root, parts)
  }
  return parts
    .join("")
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

/** Whether elements are in each other more often than that. */
function nestsDeeper(root: PageNode, most: number): boolean {
  let depth = 0
  let node: PageNode | null = root
  while (node) {
    if (node.firstChild) {
      node = node.firstChild
      depth += 1
      if (depth > most) return true
      continue
    }
    while (node && node !== root && !node.nextSibling) {
      node = node.parentNode
      depth -= 1
    }
    node = node === root ? null : (node?.nextSibling ?? null)
  }
  return false
}

/** The next node that is not below this one; blocks that are left on the way end their line. */
function following(start: PageNode, root: PageNode, parts: string[]): PageNode | null {
  for (let node: PageNode | null = start; node && node !== root; node = node.parentNode) {
    if (blocks.test(node.nodeName.toUpperCase())) parts.push("\n")
    if (node.nodeName.toUpperCase() === "TD") parts.push(" ")
    if (node.nextSibling) return node.nextSibling
  }
  return null
}
