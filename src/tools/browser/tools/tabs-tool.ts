import { defineTool, limits } from "../../../contract/index.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"

const inputSchema = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["list", "new", "select", "close"],
      default: "list",
      description: 'What to do, such as "select".',
    },
    index: {
      type: "integer",
      minimum: 0,
      maximum: limits.browser.tabs - 1,
      description:
        "The tab to select or to close, such as 1. To close the current one, leave it out.",
    },
    url: {
      type: "string",
      minLength: 1,
      maxLength: limits.browser.urlCharacters,
      description: 'What a new tab opens, such as "https://example.com/".',
    },
  },
  additionalProperties: false,
} as const

const outputSchema = {
  type: "object",
  properties: {
    kind: { const: "tabs" },
    tabs: {
      type: "array",
      items: {
        type: "object",
        properties: {
          index: { type: "integer" },
          url: { type: "string" },
          title: { type: "string" },
          current: { type: "boolean" },
        },
        required: ["index", "url", "title", "current"],
        additionalProperties: false,
      },
    },
  },
  required: ["kind", "tabs"],
  additionalProperties: false,
} as const

/** browser.tabs: lists, opens, selects and closes tabs. */
export function tabsTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.tabs",
    title: "Tabs of the browser",
    description:
      "Lists the browser's tabs, opens one, selects the one that the other browser tools use, or closes one, and " +
      'answers with all of them. Example: {"action": "new", "url": "https://example.com/"}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["web"],
    effects: ["network"],
    unavailableReason: browser.unavailableReason,
    run: (input, context) =>
      browser.use(context, async (visit) => {
        const { changeTabs } = await import("../page/change-tabs.ts")
        return changeTabs(visit, input)
      }),
  })
}
