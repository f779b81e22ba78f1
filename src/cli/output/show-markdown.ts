import type { Terminal } from "./terminal.ts"

/** Shows markdown as it comes in, line by line. */
export interface MarkdownView {
  /** What can be shown now: the lines that are complete. */
  add(text: string): string
  /** The line that is not complete yet, as it came. */
  pending(): string
  /** What was held back, where the last line has no end. */
  end(): string
}

/**
 * Markdown for a terminal: headings, lists, quotes, bold, italic and code. A line is shown when it is complete, because
 * only then it is known what its marks mean. Whatever it does not know it shows as it is.
 */
export function showMarkdown({ style }: Pick<Terminal, "style">): MarkdownView {
  let open = ""
  /** The fence that ends the present code block; null outside of one. */
  let fence: string | null = null

  function showLine(line: string): string {
    const [, marks] = /^\s{0,3}(`{3,}|~{3,})/.exec(line) ?? []
    if (fence !== null) {
      const isEnd = marks?.startsWith(fence) && line.trim() === marks
      if (isEnd) fence = null
      return style(isEnd ? "dim" : "cyan", line)
    }
    if (marks !== undefined) {
      fence = marks
      return style("dim", line)
    }
    const [, heading] = /^#{1,6}\s+(.+?)\s*#*$/.exec(line) ?? []
    if (heading !== undefined) return style("bold", plain(heading))
    if (/^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)) return style("dim", "─".repeat(20))
    const [, quoted] = /^\s{0,3}>\s?(.*)$/.exec(line) ?? []
    if (quoted !== undefined) return style("dim", `│ ${plain(quoted)}`)
    const [, indent, item] = /^(\s*)[-*+]\s+(.*)$/.exec(line) ?? []
    if (item !== undefined) return `${indent}• ${showWords(item)}`
    return showWords(line)
  }
  /** Code first: marks within it are part of it. */
  function showWords(text: string): string {
    return text
      .split(/(`+[^`]+`+)/)
      .map((part, index) =>
        index % 2 === 1 ? style("cyan", part.replaceAll("`", "")) : marked(part),
      )
      .join("")
  }
  function marked(text: string): string {
    return text
      .replaceAll(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, (_, _marks, inner) => style("bold", inner))
      .replaceAll(/(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?![\w*])/g, (_, inner) =>
        style("italic", inner),
      )
  }

  return {
    add(text) {
      const lines = (open + text).split("\n")
      open = lines.pop() ?? ""
      return lines.map((line) => `${showLine(line)}\n`).join("")
    },
    pending: () => open,
    end() {
      const line = open
      open = ""
      const shown = line === "" ? "" : showLine(line)
      fence = null
      return shown
    },
  }
}

/** The marks would end the style of the whole line. */
function plain(text: string): string {
  return text.replaceAll(/\*\*|__|`/g, "")
}
