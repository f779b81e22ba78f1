import { choice, defineTool, flag, object } from "../../../contract/index.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { pageSchema, refArgument, showPage } from "../page/page-result.ts"

/** browser.click: clicks an element, as a person would. */
export function clickTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.click",
    title: "Click",
    description:
      "Clicks an element, waits for what that starts, and answers with the page as it then is. " +
      'Example: {"ref": "e12"}.',
    input: object({
      ref: refArgument,
      button: choice(["left", "right", "middle"], 'Such as "right".'),
      double: flag("Double-click."),
    }),
    output: pageSchema,
    groups: ["web"],
    effects: ["network"],
    unavailableReason: browser.unavailableReason,
    run: ({ ref, button, double }, context) =>
      browser.use(context, async (visit) => {
        const element = await visit.element(ref)
        const options = { button, ...visit.acting }
        return visit.act(() => (double ? element.dblclick(options) : element.click(options)))
      }),
    show: showPage,
  })
}
