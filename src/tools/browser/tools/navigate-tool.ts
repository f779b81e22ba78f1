import { defineTool } from "../../../contract/index.ts"
import { browserLimits } from "../../limits.ts"
import { choice, integer, object, text } from "../../schemas.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { openedPageSchema, showPage } from "../page/page-result.ts"

/** browser.navigate: opens an address in the current tab. */
export function navigateTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.navigate",
    title: "Open a page",
    description:
      "Opens an address in the browser's current tab and answers with its title, the server's status and the top of " +
      "its accessibility tree, whose refs (e12) the other browser tools take. " +
      'Example: {"url": "https://example.com/"}.',
    input: object({
      url: text('An http or https address, such as "https://example.com/docs".', {
        maxLength: browserLimits.urlCharacters,
      }),
      wait_until: choice(
        ["load", "domcontentloaded", "networkidle"],
        'When the page counts as there, such as "domcontentloaded" for slow ones.',
      ),
      timeout_ms: integer("How long that may take, such as 60000.", {
        minimum: 100,
        maximum: browserLimits.navigateMsMost,
        default: browserLimits.navigateMs,
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
