/** A fenced block of a Markdown document. */
export interface MarkdownBlock {
  readonly language: string
  /** The line of the document on which the block's content starts. */
  readonly line: number
  readonly lines: readonly string[]
}

const fence = /^( {0,3})(`{3,}|~{3,})\s*([^\s`]*)/

export function markdownBlocks(markdown: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = []
  const lines = markdown.split(/\r?\n/)
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = "", marks = "", language = ""] = fence.exec(lines[at] ?? "") ?? []
    if (marks === "") continue
    const start = at + 1
    do at += 1
    while (at < lines.length && !(lines[at] ?? "").trim().startsWith(marks))
    const content = lines.slice(start, at).map((line) => line.replace(indent, ""))
    blocks.push({ language, line: start + 1, lines: content })
  }
  return blocks
}

const indentedCommand = /^(?: {4,}|\t)(?:\$ |(?:npm|npx|node|toolkeep) )/

/** Commands in blocks made by indentation, which have no language and so would never be run. */
export function indentedCommands(markdown: string): string[] {
  const fenced = new Set(
    markdownBlocks(markdown).flatMap(({ line, lines }) => lines.map((_, index) => line + index)),
  )
  return markdown
    .split(/\r?\n/)
    .filter((text, index) => indentedCommand.test(text) && !fenced.has(index + 1))
    .map((text) => text.trim())
}
