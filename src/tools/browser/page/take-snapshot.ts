import { ToolFailure } from "../../../contract/index.ts"
import { snapshotTree, type Tree, wholeLook } from "./snapshot-tree.ts"
import type { Visit } from "./visit.ts"

/** The current page, or a part of it, for a model to read. */
export async function takeSnapshot(visit: Visit, selector?: string) {
  const tree = await treeOf(visit, selector)
  const { url, title } = await visit.result()
  if (url === "about:blank") visit.warn("No page is open: use browser.navigate first.")
  if (tree.kind === "text") {
    visit.warn(
      `The page has ${tree.elements} elements, too many for refs, and is shown as plain text. ` +
        'Look at a part of it with selector, such as "main".',
    )
    return { ...shown({ url, title }, tree.text), plain: true, omitted_bytes: 0 }
  }
  if (tree.omittedBytes > 0) {
    visit.warn('The middle of the tree is left out. Look at a part with selector, such as "main".')
  }
  return { ...shown({ url, title }, tree.text), plain: false, omitted_bytes: tree.omittedBytes }
}

function shown({ url, title }: { readonly url: string; readonly title: string }, tree: string) {
  return { kind: "page", url, title, tree } as const
}

async function treeOf(visit: Visit, selector: string | undefined): Promise<Tree> {
  try {
    const tree = await snapshotTree(visit, wholeLook, selector)
    if (tree !== null) return tree
  } catch (error) {
    if (!/not a valid selector|SyntaxError/.test(String(error))) throw error
    throw wrongSelector("selector is no CSS selector.")
  }
  throw wrongSelector("Nothing on the page matches selector.")
}

function wrongSelector(message: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    field: "selector",
    message,
    expected: 'a CSS selector such as "main" or "#results"',
  })
}
