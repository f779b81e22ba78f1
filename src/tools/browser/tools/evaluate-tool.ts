import { defineTool, limits } from "../../../contract/index.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { refArgument } from "../page/ref-argument.ts"

const inputSchema = {
  type: "object",
  properties: {
    expression: {
      type: "string",
      minLength: 1,
      maxLength: limits.browser.expressionCharacters,
      description:
        'JavaScript: an expression, such as "document.links.length", or a function, which is called (and awaited), ' +
        "such as \"async () => (await fetch('/api')).json()\".",
    },
    ref: {
      ...refArgument,
      description:
        'An element that the function is called with, such as "e12" for "(element) => element.value".',
    },
    timeout_ms: {
      type: "integer",
      minimum: 100,
      maximum: limits.browser.evaluateMsMost,
      default: limits.browser.evaluateMs,
      description: "How long it may take, such as 2000. A page that is still busy then is closed.",
    },
  },
  required: ["expression"],
  additionalProperties: false,
} as const

const outputSchema = {
  type: "object",
  properties: {
    kind: { const: "value" },
    url: { type: "string" },
    /** As JSON has it; the start of its text when it is too large. */
    value: {},
    cut: { type: "boolean" },
  },
  required: ["kind", "url", "value", "cut"],
  additionalProperties: false,
} as const

/** browser.evaluate: runs JavaScript in the page. */
export function evaluateTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.evaluate",
    title: "Run JavaScript in the page",
    description:
      "Runs JavaScript in the current page and answers with its value as JSON. " +
      'Example: {"expression": "document.title"}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["web"],
    effects: ["execute", "network"],
    unavailableReason: browser.unavailableReason,
    run: (input, context) =>
      browser.use(context, async (visit) => {
        const { evaluate } = await import("../page/evaluate.ts")
        const { expression, ref, timeout_ms: ms } = input
        return evaluate(visit, { expression, ref, ms })
      }),
  })
}
