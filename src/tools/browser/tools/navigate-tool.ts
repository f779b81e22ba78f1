import {
  type CallLimits,
  choice,
  defineTool,
  integer,
  object,
  text,
} from "../../../contract/index.ts"
import { waitRange } from "../../arguments.ts"
import { browserLimits } from "../../limits.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { openedPageSchema, showPage } from "../page/page-result.ts"

/** browser.navigate: opens an address in the current tab. */
export function navigateTool(browser: BrowserAccess, held: CallLimits) {
  return defineTool({
    name: "browser.navigate",
    title: "Open a page",
    description:
      "Opens an address in the current tab: its title, status and the top of " +
      "its accessibility tree, whose refs (e12) other browser tools take. " +
      'Example: {"url": "https://example.com/"}.',
    input: object({
      url: text('Such as "https://example.com/docs".', {
        maxLength: browserLimits.urlCharacters,
      }),
      wait_until: choice(
        ["load", "domcontentloaded", "networkidle"],
        'Such as "domcontentloaded" for slow pages.',
      ),
      timeout_ms: integer("Milliseconds at most, such as 60000.", {
        minimum: 100,
        ...waitRange(held, browserLimits.navigateMsMost, browserLimits.navigateMs),
      }),
    }),
    output: openedPageSchema,
    groups: ["web"],
    effects: ["network"],
    unavailableReason: browser.unavailableReason,
    run: (input, context) =>
      browser.use(context, async (visit) => {
        const { navigate } = await import("../page/navigate.ts")
        return navigate(visit, {
          url: input.url,
          waitUntil: input.wait_until,
          timeout: input.timeout_ms,
        })
      }),
    show: showPage,
  })
}
