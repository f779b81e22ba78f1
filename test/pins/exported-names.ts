import ts from "typescript"
import { readRepositoryFile } from "../../scripts/repository.ts"

/** What a module exports, as its source spells it out: "defineTool", "type Tool". Sorted. */
export async function exportedNames(path: string): Promise<string[]> {
  const file = ts.createSourceFile(path, await readRepositoryFile(path), ts.ScriptTarget.Latest)
  return file.statements.flatMap((statement) => namesOf(statement, path)).sort()
}

function namesOf(statement: ts.Statement, path: string): string[] {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause, isTypeOnly } = statement
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) {
      throw new Error(`${path} exports something without its name`)
    }
    return exportClause.elements.map((element) =>
      isTypeOnly || element.isTypeOnly ? `type ${element.name.text}` : element.name.text,
    )
  }
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) {
    throw new Error(`${path} declares something; an entry only lists what others declare`)
  }
  return []
}
