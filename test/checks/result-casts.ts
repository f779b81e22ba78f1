import ts from "typescript"

/** What a call, its envelope or its result is named and reached by. */
const ofCall = /\b(?:result|envelope|structuredContent|artifact|call\(|render\()/

/**
 * Casts of what a call answers. `session.call` and a tool's `output` give these their types, so a cast hides either a
 * missing type or a wrong one. `as const` is not a cast.
 */
export function findResultCasts(file: string, source: string): string[] {
  if (!/ as (?!const\b)[\w{([]/.test(source)) return []
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) {
      if (ofCall.test(node.expression.getText(parsed))) {
        const { line } = parsed.getLineAndCharacterOfPosition(node.getStart(parsed))
        found.push(`${file}:${line + 1}: ${node.getText(parsed).replace(/\s+/g, " ")}`)
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return found
}
