import ts from "typescript"

/** A time that a busy machine may need for anything that ends at all. */
const patienceMs = 60_000

const upperBounds: readonly string[] = ["toBeLessThan", "toBeLessThanOrEqual"]

/**
 * Assertions that something took less than a minute by the clock: they fail on a slow machine, whatever the
 * product does. Found are `expect(x).toBeLessThan(n)` where `x` comes from `performance.now()` or `Date.now()`,
 * in the expression itself or through variables of the same file.
 */
export function findWallClockAssertions(file: string, source: string): string[] {
  if (!source.includes(".now()")) return []
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const timed = timedNames(parsed)
  const found: string[] = []
  visit(parsed, (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
    if (!upperBounds.includes(node.expression.name.text)) return
    const measured = expectedValue(node.expression.expression)
    const [bound] = node.arguments
    if (!measured || !bound || !readsClock(measured, timed) || readsClock(bound, timed)) return
    if (isPatient(bound)) return
    const { line } = parsed.getLineAndCharacterOfPosition(node.getStart(parsed))
    found.push(`${file}:${line + 1}: ${node.getText(parsed).replace(/\s+/g, " ")}`)
  })
  return found
}

/** `x` of `expect(x, …)`, also behind `.not` or `.resolves`. */
function expectedValue(node: ts.Expression): ts.Expression | undefined {
  if (ts.isPropertyAccessExpression(node)) return expectedValue(node.expression)
  if (!ts.isCallExpression(node)) return undefined
  return node.expression.getText() === "expect" ? node.arguments[0] : undefined
}

/** The variables and functions of a file whose values come from a clock, directly or by way of each other. */
function timedNames(file: ts.SourceFile): ReadonlySet<string> {
  const timed = new Set<string>()
  let before = -1
  while (before < timed.size) {
    before = timed.size
    visit(file, (node) => {
      if (
        ts.isVariableDeclaration(node) &&
        node.initializer &&
        readsClock(node.initializer, timed)
      ) {
        if (ts.isIdentifier(node.name)) timed.add(node.name.text)
      }
      if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
        if (ts.isIdentifier(node.left) && readsClock(node.right, timed)) timed.add(node.left.text)
      }
    })
  }
  return timed
}

function readsClock(node: ts.Node, timed: ReadonlySet<string>): boolean {
  let found = false
  visit(node, (inner) => {
    if (ts.isCallExpression(inner)) {
      found ||= /^(performance|Date)\.now$/.test(inner.expression.getText())
    }
    if (ts.isIdentifier(inner) && !ts.isPropertyAccessExpression(inner.parent)) {
      found ||= timed.has(inner.text)
    }
  })
  return found
}

function isPatient(bound: ts.Expression): boolean {
  return ts.isNumericLiteral(bound) && Number(bound.text) >= patienceMs
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node)
  ts.forEachChild(node, (child) => visit(child, look))
}
