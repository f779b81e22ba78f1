import { defineTool, object } from "../../../contract/index.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"

/** browser.close: ends the browser, with its tabs and cookies. */
export function closeTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.close",
    title: "Close the browser",
    description:
      "Closes the browser with all its tabs, cookies and logins; the next browser tool starts an empty one. Example: {}.",
    input: object({}),
    output: object({
      kind: { const: "closed" },
      was_open: { type: "boolean" },
    }),
    groups: ["web"],
    effects: ["write"],
    unavailableReason: browser.unavailableReason,
    run: async (_input, context) => ({
      kind: "closed" as const,
      was_open: await browser.end(context),
    }),
    show: ({ was_open: wasOpen }) => (wasOpen ? "The browser was closed." : "No browser was open."),
  })
}
