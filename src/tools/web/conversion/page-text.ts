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
export interface PageNode {
  readonly nodeName: string
  readonly nodeType: number
  readonly nodeValue: string | null
  readonly firstChild: PageNode | null
  readonly nextSibling: PageNode | null
  readonly parentNode: PageNode | null
}

/** The words under a node, a line for each block. Walks without recursion: pages nest as deep as they like. */
export function pageText(root: PageNode): string {
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
    .replace(/ *\n */g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

/** Whether elements are in each other more often than that. */
export function nestsDeeper(root: PageNode, most: number): boolean {
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
