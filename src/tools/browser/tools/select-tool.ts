import { defineTool, limits, object } from "../../../contract/index.ts"
import { invalidArgument } from "../../arguments.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { pageSchema, refArgument, showPage } from "../page/page-result.ts"

/** browser.select: chooses options of a drop-down list. */
export function selectTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.select",
    title: "Choose an option",
    description:
      "Chooses options of a drop-down list (a select element). " +
      'Example: {"ref": "e9", "values": ["Germany"]}.',
    input: object({
      ref: refArgument,
      values: {
        type: "array",
        minItems: 1,
        maxItems: 100,
        items: { type: "string", minLength: 0, maxLength: 1_000 },
        description: "By value or by label.",
      },
    }),
    output: pageSchema,
    groups: ["web"],
    effects: ["network"],
    unavailableReason: browser.unavailableReason,
    run: ({ ref, values }, context) =>
      browser.use(context, async (visit) => {
        const element = await visit.element(ref)
        requireOptions(
          values,
          await visit.run<readonly Option[] | null>(optionsOf, null, { on: element }),
          ref,
        )
        return visit.act(() => element.selectOption([...values], visit.acting))
      }),
    show: showPage,
  })
}

interface Option {
  readonly value: string
  readonly label: string
}

const optionsOf = `(element) => element instanceof HTMLSelectElement
  ? Array.from(element.options, ({ value, label }) => ({ value, label }))
  : null`

/** How many options a failure names. */
const namedOptions = 20

/** All of them or none. Checked here because Playwright waits for options that are missing. */
function requireOptions(
  values: readonly string[],
  options: readonly Option[] | null,
  ref: string,
): void {
  if (options === null) {
    throw invalidArgument(
      "ref",
      `${ref} is not a drop-down list. Click it, and then what it shows.`,
      "the ref of a select element",
    )
  }
  const absent = values.find(
    (wanted) => !options.some(({ value, label }) => wanted === value || wanted === label),
  )
  if (absent === undefined) return
  const labels = options
    .slice(0, namedOptions)
    .map(({ label }) => JSON.stringify(label.slice(0, 60)))
  const more = options.length > namedOptions ? ` and ${options.length - namedOptions} more` : ""
  throw invalidArgument(
    "values",
    `The list has no option ${JSON.stringify(absent.slice(0, limits.quotedCharacters))}.`,
    options.length === 0 ? "a list with options" : `some of ${labels.join(", ")}${more}`,
  )
}
