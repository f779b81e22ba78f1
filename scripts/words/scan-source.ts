import ts from "typescript"

export interface SourceName {
  readonly text: string
  readonly offset: number
}

export interface ScannedSource {
  readonly names: readonly SourceName[]
  /** The source with everything but its comments blanked out, so that offsets stay. */
  readonly comments: string
  /** The texts of its string literals and templates, each with its offset. */
  readonly strings: readonly SourceName[]
}

/** The names, comments and strings of a source file. */
export function scanSource(path: string, source: string): ScannedSource {
  const names: SourceName[] = []
  const comments: string[] = []
  const strings: SourceName[] = []
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false)
  scanner.setText(withoutLiterals(path, source, strings))
  for (;;) {
    const kind = scanner.scan()
    if (kind === ts.SyntaxKind.EndOfFileToken) break
    const text = scanner.getTokenText()
    if (kind === ts.SyntaxKind.Identifier || kind === ts.SyntaxKind.PrivateIdentifier) {
      const name = text.replace(/^#/, "")
      names.push({ text: name, offset: scanner.getTokenEnd() - name.length })
    }
    comments.push(isComment(kind) ? text : blank(text))
  }
  return { names, comments: comments.join(""), strings }
}

/** Same length and lines, without a word. */
export function blank(text: string): string {
  return text.replace(/\S/g, ".")
}

function isComment(kind: ts.SyntaxKind): boolean {
  return (
    kind === ts.SyntaxKind.SingleLineCommentTrivia || kind === ts.SyntaxKind.MultiLineCommentTrivia
  )
}

/**
 * The source with its literals blanked, whose strings it collects. A scanner alone cannot tell a regular expression
 * from a division, nor a template's end from a block's.
 */
function withoutLiterals(path: string, source: string, strings: SourceName[]): string {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest)
  const pieces: string[] = []
  let end = 0
  const visit = (node: ts.Node): void => {
    if (isLiteral(node)) {
      const start = node.getStart(file)
      pieces.push(source.slice(end, start), blank(source.slice(start, node.end)))
      end = node.end
      if ("text" in node && !ts.isRegularExpressionLiteral(node)) {
        strings.push({ text: String(node.text), offset: start + 1 })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return pieces.join("") + source.slice(end)
}

function isLiteral(node: ts.Node): boolean {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isRegularExpressionLiteral(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node)
  )
}
