/** A link of a Markdown document to a file of the repository, or to a headline. */
export interface MarkdownLink {
  /** Relative to the document; empty for the document itself. */
  readonly path: string
  /** The headline's anchor; empty for the whole file. */
  readonly anchor: string
}

const withoutBlocks = (markdown: string) => markdown.replace(/^(`{3,}).*?^\1/gms, "")

/** Links to other sites are left out. */
export function localLinks(markdown: string): MarkdownLink[] {
  return [...withoutBlocks(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = "", anchor = ""] = target.split("#")
      return { path, anchor }
    })
}

/** The anchors of a document's headlines, as GitHub forms them. */
export function anchorsOf(markdown: string): string[] {
  return [...withoutBlocks(markdown).matchAll(/^#+ (.+)$/gm)].map(([, headline = ""]) =>
    headline
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  )
}
