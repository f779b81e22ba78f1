import {
  type CallLimits,
  defineTool,
  object,
  type ToolFailure,
  text,
} from "../../../contract/index.ts"
import { invalidArgument } from "../../arguments.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { showPage } from "../page/page-result.ts"
import type { Tree } from "../page/snapshot-tree.ts"
import type { Visit } from "../page/visit.ts"

/** browser.snapshot: the page as a tree of roles, names and refs. */
export function snapshotTool(browser: BrowserAccess, { textBytes }: CallLimits) {
  return defineTool({
    name: "browser.snapshot",
    title: "Read the page",
    description:
      "Shows the current page as its accessibility tree: roles, names, text, and a ref such as [ref=e12] for every " +
      "element, which click, type, select and others take. Refs hold until the element is gone. Example: {}.",
    input: object({
      "selector?": text(
        'A CSS selector of the part to look at, such as "main". The whole page without it.',
        { maxLength: 1_000 },
      ),
    }),
    output: object({
      kind: { const: "page" },
      url: { type: "string" },
      title: { type: "string" },
      tree: { type: "string" },
      /** Without refs: the page is too large for a tree. */
      plain: { type: "boolean" },
      omitted_bytes: { type: "integer" },
    }),
    groups: ["web"],
    effects: ["read"],
    unavailableReason: browser.unavailableReason,
    run: ({ selector }, context) =>
      browser.use(context, async (visit) => {
        const tree = await treeOf(visit, selector, textBytes)
        const { url, title } = await visit.result()
        if (url === "about:blank") visit.warn("No page is open: use browser.navigate first.")
        const page = { kind: "page", url, title, tree: tree.text } as const
        if (tree.kind === "text") {
          visit.warn(
            `The page has ${tree.elements} elements, too many for refs, and is shown as plain text. ` +
              'Look at a part of it with selector, such as "main".',
          )
          return { ...page, plain: true, omitted_bytes: tree.omittedBytes }
        }
        if (tree.omittedBytes > 0) {
          visit.warn(
            'The middle of the tree is left out. Look at a part with selector, such as "main".',
          )
        }
        return { ...page, plain: false, omitted_bytes: tree.omittedBytes }
      }),
    show: showPage,
  })
}

async function treeOf(
  visit: Visit,
  selector: string | undefined,
  textBytes: number,
): Promise<Tree> {
  const { snapshotTree, wholeLook } = await import("../page/snapshot-tree.ts")
  try {
    const tree = await snapshotTree(visit, wholeLook(textBytes), selector)
    if (tree !== null) return tree
  } catch (error) {
    if (!/not a valid selector|SyntaxError/.test(String(error))) throw error
    throw wrongSelector("selector is not a CSS selector.")
  }
  throw wrongSelector("Nothing on the page matches selector.")
}

function wrongSelector(message: string): ToolFailure {
  return invalidArgument("selector", message, 'a CSS selector such as "main" or "#results"')
}
