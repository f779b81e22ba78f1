import { defineTool, limits } from "../../../contract/index.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { pageSchema } from "../page/page-result.ts"

const inputSchema = {
  type: "object",
  properties: {
    text: {
      type: "string",
      minLength: 1,
      maxLength: 1_000,
      description: 'Until this text is visible, such as "Saved".',
    },
    text_gone: {
      type: "string",
      minLength: 1,
      maxLength: 1_000,
      description: 'Until this text is not visible any more, such as "Loading".',
    },
    url: {
      type: "string",
      minLength: 1,
      maxLength: limits.browser.urlCharacters,
      description: 'Until the page\'s address contains this, such as "/done".',
    },
    ms: {
      type: "integer",
      minimum: 1,
      maximum: limits.browser.waitMsMost,
      description: "For this long, such as 500; beside another condition, for at most this long.",
    },
  },
  minProperties: 1,
  additionalProperties: false,
} as const

/** browser.wait: until something is on the page, is gone, or time has passed. */
export function waitTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.wait",
    title: "Wait for the page",
    description:
      "Waits until a text is visible or gone on the current page, until its address contains something, or for some " +
      'time. Several conditions are waited for one after the other. Example: {"text": "Saved", "ms": 10000}.',
    input: inputSchema,
    output: pageSchema,
    groups: ["web"],
    effects: ["read"],
    unavailableReason: browser.unavailableReason,
    run: (input, context) =>
      browser.use(context, async (visit) => {
        const { waitFor } = await import("../page/wait-for.ts")
        return waitFor(visit, input)
      }),
  })
}
