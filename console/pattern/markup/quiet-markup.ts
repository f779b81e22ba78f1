/**
 * Markup with other names for what the page's policy refuses while it is parsed, each time with a report: handlers, styles
 * and style sheets. Only to keep it quiet: what is safe is decided after that, on what was parsed.
 */
export function quietMarkup(markup: string, styleName: string): string {
  let quiet = ""
  let from = 0
  for (const { index, 0: opening, 1: slash = "", 2: tag = "" } of markup.matchAll(openings)) {
    if (index < from) continue
    quiet += `${markup.slice(from, index)}<${slash}${/^style$/i.test(tag) ? sheetTag : tag}`
    from = index + opening.length
    attributes.lastIndex = from
    for (let part = attributes.exec(markup); part; part = attributes.exec(markup)) {
      const [text, name] = part
      quiet += name === undefined ? text : newName(name, styleName) + text.slice(name.length)
      from = attributes.lastIndex
    }
  }
  return quiet + markup.slice(from)
}

/** What a style sheet is called here. */
export const sheetTag = "pattern-sheet"

const openings = /<(\/?)([a-z][^\s/>]*)/gi
/** Blanks, or one attribute. */
const attributes = /[\s/]+|([^\s/>=]+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']*))?/y

function newName(name: string, styleName: string): string {
  if (/^style$/i.test(name)) return styleName
  return /^on/i.test(name) ? `data-${name}` : name
}
