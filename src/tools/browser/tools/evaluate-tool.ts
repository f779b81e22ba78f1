import { defineTool, limits, ToolFailure } from "../../../contract/index.ts"
import { browserLimits } from "../../limits.ts"
import { integer, object, text } from "../../schemas.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { refArgument } from "../page/page-result.ts"
import type { Visit } from "../page/visit.ts"

/** browser.evaluate: runs JavaScript in the page. */
export function evaluateTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.evaluate",
    title: "Run JavaScript in the page",
    description:
      "Runs JavaScript in the current page and answers with its value as JSON. " +
      'Example: {"expression": "document.title"}.',
    input: object({
      expression: text(
        'JavaScript: an expression, such as "document.links.length", or a function, which is called (and awaited), ' +
          "such as \"async () => (await fetch('/api')).json()\".",
        { maxLength: browserLimits.expressionCharacters },
      ),
      "ref?": {
        ...refArgument,
        description:
          'An element that the function is called with, such as "e12" for "(element) => element.value".',
      },
      timeout_ms: integer(
        "How long it may take, such as 2000. A page that is still busy then is closed.",
        {
          minimum: 100,
          maximum: browserLimits.evaluateMsMost,
          default: browserLimits.evaluateMs,
        },
      ),
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
        const described = await evaluate(visit, { expression, ref, ms })
        if (described.kind === "unwritable") {
          const message = `The value can't be written as JSON: ${described.problem}. Choose parts of it.`
          throw new ToolFailure({ kind: "execution_error", message })
        }
        const { kind, text } = described
        const cut = kind === "cut"
        if (cut) {
          visit.warn(
            `The value is too large; these are the first ${text.length} characters of its JSON.`,
          )
        }
        const url = await visit.url()
        visit.tell()
        return { kind: "value" as const, url, value: cut ? text : JSON.parse(text), cut }
      }),
    show: ({ value }) => (typeof value === "string" ? value : JSON.stringify(value, null, 2)),
  })
}

interface Evaluation {
  readonly expression: string
  readonly ref: string | undefined
  readonly ms: number
}

type Described =
  | { readonly kind: "whole" | "cut"; readonly text: string }
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
    return text.length > most ? { kind: "cut", text: text.slice(0, most) } : { kind: "whole", text }
  } catch (error) {
    return { kind: "unwritable", problem: String(error).split("\\n")[0].slice(0, 200) }
  }
}`
const calculateAlone = `(question) => (${calculate})(null, question)`

/** Characters of JSON that fit into a result however they are written. */
const mostCharacters = Math.floor(limits.textBytes / 3)

async function evaluate(visit: Visit, { expression, ref, ms }: Evaluation): Promise<Described> {
  const question = { expression, most: mostCharacters }
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
