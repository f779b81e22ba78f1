import { choice, defineTool, flag, object, showLines } from "../../../contract/index.ts"
import { type ImageSize, imageSize } from "../../../node/index.ts"
import type { Artifacts } from "../../../store/index.ts"
import { artifactResult, artifactSchema, showArtifact } from "../../artifact-result.ts"
import { browserLimits } from "../../limits.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { refArgument } from "../page/page-result.ts"
import type { Visit } from "../page/visit.ts"

/** browser.screenshot: the page as an image, kept as an artifact. */
export function screenshotTool(browser: BrowserAccess, artifacts: Artifacts) {
  return defineTool({
    name: "browser.screenshot",
    title: "Photograph the page",
    description:
      "Saves a screenshot of the page, or of one element, for the person. To read a page: " +
      'browser.snapshot. Example: {"full_page": true}.',
    input: object({
      "ref?": {
        ...refArgument,
        description: 'Only this element, such as "e12".',
      },
      full_page: flag("The whole page and not only what is in view; without ref."),
      format: choice(["png", "jpeg"], 'Such as "jpeg" for a small one.'),
    }),
    output: object({
      kind: { const: "image" },
      url: { type: "string" },
      title: { type: "string" },
      width: { type: "integer" },
      height: { type: "integer" },
      artifact: artifactSchema,
    }),
    groups: ["web"],
    effects: ["read"],
    unavailableReason: browser.unavailableReason,
    run: ({ ref, full_page: fullPage, format }, context) =>
      browser.use(context, async (visit) => {
        const options = { type: format, timeout: browserLimits.snapshotMs, signal: visit.signal }
        const page = await visit.page()
        const bytes =
          ref !== undefined
            ? await (await visit.element(ref)).screenshot(options)
            : await page.screenshot({ ...options, ...(fullPage ? await wholePage(visit) : {}) })
        const artifact = await artifacts.keep({
          filename: `screenshot.${format === "png" ? "png" : "jpg"}`,
          mimeType: `image/${format}`,
          content: bytes,
        })
        const { url, title } = await visit.result()
        const size = imageSize(bytes)
        if (!size) throw new Error("The browser made neither a PNG nor a JPEG.")
        return { kind: "image" as const, url, title, ...size, artifact: artifactResult(artifact) }
      }),
    show: ({ url, title, width, height, artifact }) =>
      showLines(`${title} ${url}, ${width} × ${height}`.trim(), showArtifact(artifact)),
  })
}

const pageSize = `() => {
  const { scrollWidth, scrollHeight } = document.documentElement
  return { width: scrollWidth, height: scrollHeight }
}`

/** A page can have any length; an image of it has to fit into memory. */
async function wholePage(visit: Visit) {
  const size = await visit.run<ImageSize>(pageSize, null)
  const most = browserLimits.screenshotPixels
  if (size.width <= most && size.height <= most) return { fullPage: true }
  visit.warn(`The page is ${size.width} × ${size.height} pixels; its first ${most} are shown.`)
  const clip = { width: Math.min(size.width, most), height: Math.min(size.height, most) }
  return { fullPage: true, clip: { x: 0, y: 0, ...clip } }
}
