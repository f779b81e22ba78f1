import ts from "typescript"

/** A call of it, test or describe, in whatever form: `it("…")`, `it.each([…])("…")`, `test.skip("…")`. */
export interface FoundTest {
  readonly file: string
  readonly line: number
  readonly title: string
  /** What was put behind it, test or describe: "each", "skip", "concurrent", … */
  readonly modifiers: readonly string[]
}

const testNames: readonly string[] = ["it", "test", "describe"]

export function findTests(file: string, source: string): FoundTest[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest)
  const found: FoundTest[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const title = titleOf(node.arguments[0])
      const modifiers = modifiersOf(node.expression)
      if (title !== undefined && modifiers !== undefined) {
        const { line } = parsed.getLineAndCharacterOfPosition(node.getStart(parsed))
        found.push({ file, line: line + 1, title, modifiers })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return found
}

/** The fixed text of a title; of a template only what stands before its first value. */
function titleOf(node: ts.Expression | undefined): string | undefined {
  if (node && ts.isStringLiteralLike(node)) return node.text
  if (node && ts.isTemplateExpression(node)) return node.head.text
  return undefined
}

/** The modifiers between `it` and the call, or undefined when the call is no test. */
function modifiersOf(callee: ts.Expression): string[] | undefined {
  if (ts.isIdentifier(callee)) return testNames.includes(callee.text) ? [] : undefined
  if (ts.isPropertyAccessExpression(callee)) {
    const before = modifiersOf(callee.expression)
    return before && [...before, callee.name.text]
  }
  if (ts.isCallExpression(callee)) return modifiersOf(callee.expression)
  if (ts.isTaggedTemplateExpression(callee)) return modifiersOf(callee.tag)
  return undefined
}
