import ts from "typescript"

export interface FoundExpression {
  readonly file: string
  readonly line: number
  readonly expression: RegExp
}

/** Every regular expression that a source has as a literal. */
export function findExpressions(file: string, source: string): FoundExpression[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest)
  const found: FoundExpression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = parsed.getLineAndCharacterOfPosition(node.getStart(parsed))
      found.push({ file, line: line + 1, expression: readLiteral(node.text) })
    }
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return found
}

function readLiteral(text: string): RegExp {
  const end = text.lastIndexOf("/")
  return new RegExp(text.slice(1, end), text.slice(end + 1))
}
