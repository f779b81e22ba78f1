import { choice, defineTool, integer, object } from "../../../contract/index.ts"
import { browserLimits } from "../../limits.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { pageSchema, refArgument, showPage } from "../page/page-result.ts"

const steps = {
  down: { x: 0, y: 1 },
  up: { x: 0, y: -1 },
  right: { x: 1, y: 0 },
  left: { x: -1, y: 0 },
} as const

/** browser.scroll: moves the page, or brings an element into view. */
export function scrollTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.scroll",
    title: "Scroll",
    description:
      "Scrolls the page, or brings an element into view. " +
      'Example: {"direction": "down", "amount": 1200}.',
    input: object({
      "ref?": {
        ...refArgument,
        description: 'An element to bring into view, such as "e40".',
      },
      direction: choice(["down", "up", "right", "left"], 'Such as "up"; without ref.'),
      amount: integer("Pixels; without ref.", {
        minimum: 1,
        maximum: browserLimits.scrollPixelsMost,
        default: 600,
      }),
    }),
    output: pageSchema,
    groups: ["web"],
    effects: ["network"],
    unavailableReason: browser.unavailableReason,
    run: ({ ref, direction, amount }, context) =>
      browser.use(context, async (visit) => {
        if (ref !== undefined) {
          const element = await visit.element(ref)
          return visit.act(() => element.scrollIntoViewIfNeeded(visit.acting))
        }
        const { x, y } = steps[direction]
        const by = `window.scrollBy({ left: ${x * amount}, top: ${y * amount}, behavior: "instant" })`
        return visit.act((page) => visit.within(page.evaluate(by)))
      }),
    show: showPage,
  })
}
