import { defineTool } from "../../../contract/index.ts"
import type { Artifacts } from "../../../store/index.ts"
import { artifactSchema } from "../../artifact-result.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { refArgument } from "../page/ref-argument.ts"

const inputSchema = {
  type: "object",
  properties: {
    ref: {
      ...refArgument,
      description: 'Only this element, such as "e12". Without it, what is in view.',
    },
    full_page: {
      type: "boolean",
      default: false,
      description: "The whole page and not only what is in view, such as true; only without ref.",
    },
    format: {
      type: "string",
      enum: ["png", "jpeg"],
      default: "png",
      description: 'The kind of image, such as "jpeg" for a small one.',
    },
  },
  additionalProperties: false,
} as const

const outputSchema = {
  type: "object",
  properties: {
    kind: { const: "image" },
    url: { type: "string" },
    title: { type: "string" },
    width: { type: "integer" },
    height: { type: "integer" },
    artifact: artifactSchema,
  },
  required: ["kind", "url", "title", "width", "height", "artifact"],
  additionalProperties: false,
} as const

/** browser.screenshot: the page as an image, kept as an artifact. */
export function screenshotTool(browser: BrowserAccess, artifacts: Artifacts) {
  return defineTool({
    name: "browser.screenshot",
    title: "Photograph the page",
    description:
      "Keeps an image of the current page, or of one element, as an artifact for the person. To read a page, use " +
      'browser.snapshot. Example: {"full_page": true}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["web"],
    effects: ["read"],
    unavailableReason: browser.unavailableReason,
    run: (input, context) =>
      browser.use(context, async (visit) => {
        const { takeScreenshot } = await import("../page/take-screenshot.ts")
        const { ref, full_page: fullPage, format } = input
        return takeScreenshot(visit, { ref, fullPage, format, artifacts })
      }),
  })
}
