import type { Language } from "@codemirror/language"
import { classHighlighter, highlightTree } from "@lezer/highlight"

type Parser = Language["parser"]
type Tree = Parameters<typeof highlightTree>[0]

/** A piece of a line with the class of its colour; "" for none. */
export interface CodePiece {
  readonly text: string
  readonly look: string
}

/** Longer texts stay plain: colours would take longer than reading. */
const mostCharacters = 100_000
/** How long the page may be busy with colours at a time. */
const sliceMs = 8

const parsers: Readonly<Record<string, () => Promise<Parser>>> = {
  javascript: async () =>
    (await import("@codemirror/lang-javascript")).javascript({ jsx: true }).language.parser,
  typescript: async () => {
    const { javascript } = await import("@codemirror/lang-javascript")
    return javascript({ jsx: true, typescript: true }).language.parser
  },
  json: async () => (await import("@codemirror/lang-json")).jsonLanguage.parser,
  python: async () => (await import("@codemirror/lang-python")).pythonLanguage.parser,
  css: async () => (await import("@codemirror/lang-css")).cssLanguage.parser,
  html: async () => (await import("@codemirror/lang-html")).htmlLanguage.parser,
  markdown: async () => (await import("@codemirror/lang-markdown")).markdownLanguage.parser,
  yaml: async () => (await import("@codemirror/lang-yaml")).yamlLanguage.parser,
}

/** The lines of a text in colours; null where it has none, or the signal aborted. */
export async function colourCode(
  text: string,
  language: string,
  signal: AbortSignal,
): Promise<readonly (readonly CodePiece[])[] | null> {
  const load = Object.hasOwn(parsers, language) ? parsers[language] : undefined
  if (!load || text.length > mostCharacters) return null
  const tree = await parseInSlices(await load(), text, signal)
  return tree && linesOf(text, tree)
}

async function parseInSlices(
  parser: Parser,
  text: string,
  signal: AbortSignal,
): Promise<Tree | null> {
  const parse = parser.startParse(text)
  for (let began = performance.now(); ; ) {
    const tree = parse.advance()
    if (tree) return tree
    if (performance.now() - began < sliceMs) continue
    await new Promise((resolve) => setTimeout(resolve))
    if (signal.aborted) return null
    began = performance.now()
  }
}

function linesOf(text: string, tree: Tree): readonly (readonly CodePiece[])[] {
  const lines: CodePiece[][] = [[]]
  const add = (from: number, to: number, look: string) => {
    for (const [index, part] of text.slice(from, to).split("\n").entries()) {
      if (index > 0) lines.push([])
      if (part !== "") lines.at(-1)?.push({ text: part, look })
    }
  }
  let end = 0
  highlightTree(tree, classHighlighter, (from, to, look) => {
    add(end, from, "")
    add(from, to, look)
    end = to
  })
  add(end, text.length, "")
  return lines
}
