import { defineTool, flag, object, text } from "../../../contract/index.ts"
import { browserLimits } from "../../limits.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { pageSchema, refArgument, showPage } from "../page/page-result.ts"

/** So many characters are typed one by one within an action's time; more are not. */
const slowCharacters = 500

/** browser.type: puts text into a field. */
export function typeTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.type",
    title: "Type into a field",
    description:
      "Replaces what a text field holds, and answers with the page as it then is. " +
      'Example: {"ref": "e7", "text": "toolkeep", "submit": true}.',
    input: object({
      ref: refArgument,
      text: text('Such as "Ada Lovelace"; "" empties it.', {
        minLength: 0,
        maxLength: browserLimits.textCharacters,
      }),
      submit: flag("Press Enter after it."),
      slowly: flag(`Key by key, for fields that suggest; at most ${slowCharacters} characters.`),
    }),
    output: pageSchema,
    groups: ["web"],
    effects: ["network"],
    unavailableReason: browser.unavailableReason,
    run: ({ ref, text, submit, slowly }, context) =>
      browser.use(context, async (visit) => {
        const element = await visit.element(ref)
        const { acting } = visit
        return visit.act(async () => {
          if (slowly && text.length <= slowCharacters) {
            await element.fill("", acting)
            await element.pressSequentially(text, acting)
          } else {
            await element.fill(text, acting)
          }
          if (submit) await element.press("Enter", acting)
        })
      }),
    show: showPage,
  })
}
