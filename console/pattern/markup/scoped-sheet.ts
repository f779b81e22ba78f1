/** The element whose children a sheet is for. */
const scopeName = "data-pattern-scope"

let made = 0

/**
 * Applies style sheets of a drawing to the children of its element, and to nothing else. The page's policy allows sheets
 * that are made by its own script. The returned function takes them away.
 */
export function applySheets(element: HTMLElement, texts: readonly string[]): () => void {
  const rules = texts.flatMap(safeRules)
  if (rules.length === 0) return () => {}
  made += 1
  element.setAttribute(scopeName, String(made))
  const sheet = new CSSStyleSheet()
  // A browser that knows no @scope leaves all of it out. The rules are as the browser wrote them, so none ends it.
  sheet.replaceSync(`@scope ([${scopeName}="${made}"] > *) { ${rules.join("\n")} }`)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  return () => {
    element.removeAttribute(scopeName)
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
  }
}

/** A style without what would be loaded: an address may name only a part of the same document. */
export function keepSafeStyle(style: CSSStyleDeclaration): void {
  for (const name of [...style]) {
    if (!isSafeValue(style.getPropertyValue(name))) style.removeProperty(name)
  }
}

function isSafeValue(value: string): boolean {
  const rest = value.replaceAll(/url\(\s*["']?#[\w-]+["']?\s*\)/gi, "")
  // What a custom property has is not written anew by the browser: an escape could hide a name.
  return !/(url|src|image|image-set|cross-fade|element)\s*\(|\\/i.test(rest)
}

/** Rules for elements, as the browser has read them: not fonts, imports, animations or layers, whose names belong to the page. */
function safeRules(text: string): readonly string[] {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  keepSafeRules(sheet)
  return [...sheet.cssRules].map((rule) => rule.cssText)
}

interface RuleList {
  readonly cssRules: CSSRuleList
  deleteRule(index: number): void
}

function keepSafeRules(list: RuleList): void {
  for (let index = list.cssRules.length - 1; index >= 0; index -= 1) {
    const rule = list.cssRules[index]
    if (rule instanceof CSSStyleRule) {
      keepSafeStyle(rule.style)
      keepSafeRules(rule)
    } else if (rule instanceof CSSMediaRule || rule instanceof CSSSupportsRule) keepSafeRules(rule)
    else list.deleteRule(index)
  }
}
