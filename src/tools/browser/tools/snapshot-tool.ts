import { defineTool } from "../../../contract/index.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"

const inputSchema = {
  type: "object",
  properties: {
    selector: {
      type: "string",
      minLength: 1,
      maxLength: 1_000,
      description:
        'A CSS selector of the part to look at, such as "main". The whole page without it.',
    },
  },
  additionalProperties: false,
} as const

const outputSchema = {
  type: "object",
  properties: {
    kind: { const: "page" },
    url: { type: "string" },
    title: { type: "string" },
    tree: { type: "string" },
    /** Without refs: the page is too large for a tree. */
    plain: { type: "boolean" },
    omitted_bytes: { type: "integer" },
  },
  required: ["kind", "url", "title", "tree", "plain", "omitted_bytes"],
  additionalProperties: false,
} as const

/** browser.snapshot: the page as a tree of roles, names and refs. */
export function snapshotTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.snapshot",
    title: "Read the page",
    description:
      "Shows the current page as its accessibility tree: roles, names, text, and a ref such as [ref=e12] for every " +
      "element, which click, type, select and others take. Refs hold until the element is gone. Example: {}.",
    input: inputSchema,
    output: outputSchema,
    groups: ["web"],
    effects: ["read"],
    unavailableReason: browser.unavailableReason,
    run: (input, context) =>
      browser.use(context, async (visit) => {
        const { takeSnapshot } = await import("../page/take-snapshot.ts")
        return takeSnapshot(visit, input.selector)
      }),
  })
}
