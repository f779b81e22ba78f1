import createPurify from "dompurify"
import { safeLink } from "../../model/safe-link.ts"
import { quietMarkup, sheetTag } from "./quiet-markup.ts"
import { keepSafeStyle } from "./scoped-sheet.ts"

const purify = createPurify(window)

/** Styles are set one by one, which the page's policy allows, where it refuses them as text. */
const styleName = "data-pattern-style"

purify.addHook("uponSanitizeAttribute", (element, attribute) => {
  const { attrName: name, attrValue: value } = attribute
  if (name === "style") element.setAttribute(styleName, value)
  const isLink = element.nodeName.toLowerCase() === "a"
  const isAddress = name === "src" || (/^(xlink:)?href$/.test(name) && !isLink)
  // What the page's policy would refuse is left out, such as pictures from elsewhere.
  if (name === "style" || (isAddress && !/^(#|data:image\/)/.test(value))) {
    attribute.keepAttr = false
  }
})

let sheets: string[] = []

purify.addHook("uponSanitizeElement", (node, { tagName }) => {
  if (tagName === sheetTag) sheets.push(node.textContent ?? "")
})

export interface Sanitised {
  readonly fragment: DocumentFragment
  /** The texts of its style sheets. */
  readonly sheets: readonly string[]
}

/** Markup without scripts, handlers, frames, forms and addresses elsewhere. */
export function sanitised(markup: string): Sanitised {
  sheets = []
  const fragment = purify.sanitize(quietMarkup(markup, styleName), {
    RETURN_DOM_FRAGMENT: true,
    USE_PROFILES: { html: true, svg: true, svgFilters: true },
    ADD_FORBID_CONTENTS: [sheetTag],
    FORBID_TAGS: [sheetTag, "style", "form", "input", "button", "textarea", "select"],
    FORBID_ATTR: ["name", "srcset", "background", "poster"],
  })
  for (const element of fragment.querySelectorAll<HTMLElement>(`[${styleName}]`)) {
    const style = element.getAttribute(styleName) ?? ""
    element.removeAttribute(styleName)
    element.style.cssText = style
    keepSafeStyle(element.style)
  }
  for (const link of fragment.querySelectorAll("a")) leadElsewhere(link)
  return { fragment, sheets }
}

function leadElsewhere(link: HTMLAnchorElement | SVGAElement): void {
  const address = link.getAttribute("href") ?? link.getAttribute("xlink:href") ?? ""
  const safe = safeLink(address)
  link.removeAttribute("xlink:href")
  if (!safe) {
    link.removeAttribute("href")
    return
  }
  link.setAttribute("href", safe.href)
  link.setAttribute("target", "_blank")
  link.setAttribute("rel", "noopener noreferrer")
}
