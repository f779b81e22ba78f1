import {
  type CallLimits,
  defineTool,
  integer,
  object,
  ToolFailure,
  text,
} from "../../../contract/index.ts"
import { waitRange } from "../../arguments.ts"
import { browserLimits } from "../../limits.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { refArgument } from "../page/page-result.ts"
import type { Visit } from "../page/visit.ts"

/** browser.evaluate: runs JavaScript in the page. */
export function evaluateTool(browser: BrowserAccess, held: CallLimits) {
  // Characters of JSON that fit into a result however they are written.
  const most = Math.floor(held.textBytes / 3)
  return defineTool({
    name: "browser.evaluate",
    title: "Run JavaScript in the page",
    description:
      "Runs JavaScript in the page and answers with its value as JSON. " +
      'Example: {"expression": "document.title"}.',
    input: object({
      expression: text(
        'An expression, or a function that is called and awaited, such as "async () => 1".',
        { maxLength: browserLimits.expressionCharacters },
      ),
      "ref?": {
        ...refArgument,
        description: 'The element to call the function with, such as "e12".',
      },
      timeout_ms: integer("At most, such as 2000; a page still busy then is closed.", {
        minimum: 100,
        ...waitRange(held, browserLimits.evaluateMsMost, browserLimits.evaluateMs),
      }),
    }),
    output: object({
      kind: { const: "value" },
      url: { type: "string" },
      /** As JSON has it; the start of its text when it is too large. */
      value: {},
      cut: { type: "boolean" },
    }),
    groups: ["web"],
    effects: ["execute", "network"],
    unavailableReason: browser.unavailableReason,
    run: ({ expression, ref, timeout_ms: ms }, context) =>
      browser.use(context, async (visit) => {
        const described = await evaluate(visit, { expression, ref, ms, most })
        if (described.kind === "unwritable") {
          const message = `The value can't be written as JSON: ${described.problem}. Choose parts of it.`
          throw new ToolFailure({ kind: "execution_error", message })
        }
        const { kind, text, characters } = described
        const cut = kind === "cut"
        if (cut) {
          visit.warn(
            `The value is too large; these are the first ${text.length} of the ${characters} characters of its JSON.`,
          )
        }
        const url = await visit.url()
        visit.tell()
        return { kind: "value" as const, url, value: cut ? text : JSON.parse(text), cut }
      }),
    show: ({ value }) =>
      typeof value === "string" && value !== "" ? value : JSON.stringify(value, null, 2),
  })
}

interface Evaluation {
  readonly expression: string
  readonly ref: string | undefined
  readonly ms: number
  readonly most: number
}

type Described =
  | { readonly kind: "whole" | "cut"; readonly text: string; readonly characters: number }
  | { readonly kind: "unwritable"; readonly problem: string }

/**
 * The text is an expression where it can be one, so that "{ a: 1 }" is an object, and statements otherwise.
 * A function is called, a promise awaited. JSON over `most` characters is cut before it travels.
 */
const calculate = `async (element, { expression, most }) => {
  let script = "(" + expression + "\\n)"
  try { new Function(script) } catch { script = expression }
  let value = (0, eval)(script)
  value = await (typeof value === "function" ? value(element) : value)
  if (value instanceof Node) value = value.outerHTML ?? value.nodeValue
  try {
    const write = (key, part) => typeof part === "bigint" ? String(part) : part
    const text = JSON.stringify(value, write) ?? "null"
    const characters = text.length
    if (characters <= most) return { kind: "whole", text, characters }
    return { kind: "cut", text: text.slice(0, most), characters }
  } catch (error) {
    return { kind: "unwritable", problem: String(error).split("\\n")[0].slice(0, 200) }
  }
}`
const calculateAlone = `(question) => (${calculate})(null, question)`

async function evaluate(
  visit: Visit,
  { expression, ref, ms, most }: Evaluation,
): Promise<Described> {
  const question = { expression, most }
  const element = ref === undefined ? null : await visit.element(ref)
  try {
    return element
      ? await visit.run<Described>(calculate, question, { on: element, ms })
      : await visit.run<Described>(calculateAlone, question, { ms })
  } catch (error) {
    if (visit.signal.aborted) throw error
    const [line = ""] = String(error).split("\n")
    const [, first] = /evaluate: (.*)/.exec(line) ?? []
    if (first === undefined || /^Target |^Execution context/.test(first)) throw error
    const message = `The expression failed: ${first.slice(0, browserLimits.shownCharacters)}`
    throw new ToolFailure({ kind: "execution_error", message })
  }
}
