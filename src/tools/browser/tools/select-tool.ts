import { defineTool } from "../../../contract/index.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { pageSchema } from "../page/page-result.ts"
import { refArgument } from "../page/ref-argument.ts"

const inputSchema = {
  type: "object",
  properties: {
    ref: refArgument,
    values: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: { type: "string", minLength: 0, maxLength: 1_000 },
      description: 'The options to choose, by value or by label, such as ["Germany"].',
    },
  },
  required: ["ref", "values"],
  additionalProperties: false,
} as const

/** browser.select: chooses options of a drop-down list. */
export function selectTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.select",
    title: "Choose an option",
    description:
      "Chooses options of a drop-down list (a combobox or listbox that is a select element) on the current page. " +
      'Example: {"ref": "e9", "values": ["Germany"]}.',
    input: inputSchema,
    output: pageSchema,
    groups: ["web"],
    effects: ["network"],
    unavailableReason: browser.unavailableReason,
    run: ({ ref, values }, context) =>
      browser.use(context, async (visit) => {
        const { chooseOptions } = await import("../page/choose-options.ts")
        return chooseOptions(visit, ref, values)
      }),
  })
}
