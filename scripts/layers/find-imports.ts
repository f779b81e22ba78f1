import ts from "typescript"

/** One place in a source file that needs another module. */
export interface FoundImport {
  readonly specifier: string
  readonly line: number
  /** Only the compiler follows it; nothing is loaded when the program runs. */
  readonly typeOnly: boolean
}

/**
 * Every import whose target is written out: static, type, dynamic, re-export, `import("…")` types,
 * and files named by `new URL("…", import.meta.url)`, which is how workers are started.
 */
export function findImports(path: string, source: string): FoundImport[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest)
  const found: FoundImport[] = []
  const visit = (node: ts.Node): void => {
    const target = importTarget(node)
    if (target) {
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1
      found.push({ ...target, line })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function importTarget(node: ts.Node): Omit<FoundImport, "line"> | undefined {
  if (ts.isImportDeclaration(node)) {
    return literal(node.moduleSpecifier, node.importClause?.phaseModifier === typeKeyword)
  }
  if (ts.isExportDeclaration(node)) return literal(node.moduleSpecifier, node.isTypeOnly)
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return literal(node.argument.literal, true)
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return literal(node.arguments[0], false)
  }
  if (ts.isNewExpression(node) && isModuleUrl(node)) return literal(node.arguments?.[0], false)
  return undefined
}

const typeKeyword = ts.SyntaxKind.TypeKeyword

function literal(node: ts.Node | undefined, typeOnly: boolean) {
  return node && ts.isStringLiteralLike(node) ? { specifier: node.text, typeOnly } : undefined
}

function isModuleUrl(node: ts.NewExpression): boolean {
  const base = node.arguments?.[1]
  return (
    ts.isIdentifier(node.expression) &&
    node.expression.text === "URL" &&
    base !== undefined &&
    ts.isPropertyAccessExpression(base) &&
    ts.isMetaProperty(base.expression) &&
    base.name.text === "url"
  )
}
