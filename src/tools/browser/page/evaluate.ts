import { limits, ToolFailure } from "../../../contract/index.ts"
import { inPage } from "./in-page.ts"
import { shownUrl } from "./tabs.ts"
import type { Visit } from "./visit.ts"
import { LateAnswer } from "./within.ts"

export interface Evaluation {
  readonly expression: string
  readonly ref: string | undefined
  readonly ms: number
}

type Described =
  | { readonly kind: "whole" | "cut"; readonly text: string }
  | { readonly kind: "unwritable"; readonly problem: string }

interface Question {
  readonly expression: string
  /** Characters of JSON; it is cut before it travels. */
  readonly most: number
}

/**
 * What is given is an expression where it can be one, so that "{ a: 1 }" is an object, and statements
 * otherwise. A function is called, a promise awaited.
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

const calculateWith = inPage<[unknown, Question], Promise<Described>>(calculate)
const calculateAlone = inPage<[Question], Promise<Described>>(
  `(question) => (${calculate})(null, question)`,
)

/** Characters of JSON that fit into a result however they are written. */
const mostCharacters = Math.floor(limits.textBytes / 3)

export async function evaluate(visit: Visit, evaluation: Evaluation) {
  const described = await run(visit, evaluation)
  if (described.kind === "unwritable") {
    const message = `The value can't be written as JSON: ${described.problem}. Choose parts of it.`
    throw new ToolFailure({ kind: "execution_error", message })
  }
  const { kind, text } = described
  const cut = kind === "cut"
  if (cut) {
    visit.warn(`The value is too large; these are the first ${text.length} characters of its JSON.`)
  }
  const page = await visit.page()
  visit.tell()
  return {
    kind: "value" as const,
    url: shownUrl(page.url()),
    value: cut ? text : JSON.parse(text),
    cut,
  }
}

async function run(visit: Visit, { expression, ref, ms }: Evaluation): Promise<Described> {
  const element = ref === undefined ? null : await visit.element(ref)
  const page = await visit.page()
  const question = { expression, most: mostCharacters }
  const running = element
    ? element.evaluate(calculateWith, question, { timeout: ms, signal: visit.signal })
    : page.evaluate(calculateAlone, question)
  try {
    return await visit.within(running, ms)
  } catch (error) {
    if (visit.signal.aborted || error instanceof LateAnswer) throw error
    const [line = ""] = String(error).split("\n")
    const [, first] = /evaluate: (.*)/.exec(line) ?? []
    if (first === undefined || /^Target |^Execution context/.test(first)) throw error
    const message = `The expression failed: ${first.slice(0, limits.browser.shownCharacters)}`
    throw new ToolFailure({ kind: "execution_error", message })
  }
}
