import { limits, ToolFailure } from "../../../contract/index.ts"
import { inPage } from "./in-page.ts"
import type { PageResult } from "./page-result.ts"
import type { Visit } from "./visit.ts"

/** How many options a failure names. */
const named = 20

const optionsOf = inPage<
  [unknown],
  readonly Option[] | null
>(`(element) => element instanceof HTMLSelectElement
  ? Array.from(element.options, ({ value, label }) => ({ value, label }))
  : null`)

interface Option {
  readonly value: string
  readonly label: string
}

/** All of them or none: Playwright waits for options that may come, and these are there or not. */
export async function chooseOptions(
  visit: Visit,
  ref: string,
  values: readonly string[],
): Promise<PageResult> {
  const element = await visit.element(ref)
  const options = await visit.within(element.evaluate(optionsOf))
  if (options === null) {
    throw new ToolFailure({
      kind: "invalid_args",
      field: "ref",
      message: `${ref} is no drop-down list. Click it, and then what it shows.`,
      expected: "the ref of a select element",
    })
  }
  const absent = values.find(
    (wanted) => !options.some(({ value, label }) => wanted === value || wanted === label),
  )
  if (absent !== undefined) throw noOption(absent, options)
  return visit.act(() => element.selectOption([...values], visit.acting))
}

function noOption(absent: string, options: readonly Option[]): ToolFailure {
  const labels = options.slice(0, named).map(({ label }) => JSON.stringify(label.slice(0, 60)))
  const more = options.length > named ? ` and ${options.length - named} more` : ""
  return new ToolFailure({
    kind: "invalid_args",
    field: "values",
    message: `The list has no option ${JSON.stringify(absent.slice(0, limits.quotedCharacters))}.`,
    expected: options.length === 0 ? "a list with options" : `some of ${labels.join(", ")}${more}`,
  })
}
