import type { Page } from "playwright-core"
import { limits } from "../../../contract/index.ts"
import type { Artifacts } from "../../../store/index.ts"
import { artifactResult } from "../../artifact-result.ts"
import { imageSize } from "./image-size.ts"
import { inPage } from "./in-page.ts"
import type { Visit } from "./visit.ts"

export interface ScreenshotWish {
  readonly ref: string | undefined
  readonly fullPage: boolean
  readonly format: "png" | "jpeg"
  readonly artifacts: Artifacts
}

export async function takeScreenshot(visit: Visit, wish: ScreenshotWish) {
  const { ref, fullPage, format, artifacts } = wish
  const page = await visit.page()
  const options = { type: format, timeout: limits.browser.snapshotMs, signal: visit.signal }
  const bytes =
    ref !== undefined
      ? await (await visit.element(ref)).screenshot(options)
      : await page.screenshot({ ...options, ...(fullPage ? await wholePage(visit, page) : {}) })
  const artifact = await artifacts.keep({
    filename: `screenshot.${format === "png" ? "png" : "jpg"}`,
    mimeType: `image/${format}`,
    content: bytes,
  })
  const { url, title } = await visit.result()
  return {
    kind: "image" as const,
    url,
    title,
    ...imageSize(bytes),
    artifact: artifactResult(artifact),
  }
}

const pageSize = inPage<[], { readonly width: number; readonly height: number }>(`() => {
  const { scrollWidth, scrollHeight } = document.documentElement
  return { width: scrollWidth, height: scrollHeight }
}`)

/** A page can be as long as it likes; a picture of it has to fit into memory. */
async function wholePage(visit: Visit, page: Page) {
  const size = await visit.within(page.evaluate(pageSize))
  const most = limits.browser.screenshotPixels
  if (size.width <= most && size.height <= most) return { fullPage: true }
  visit.warn(`The page is ${size.width} × ${size.height} pixels; its first ${most} are shown.`)
  const clip = { width: Math.min(size.width, most), height: Math.min(size.height, most) }
  return { fullPage: true, clip: { x: 0, y: 0, ...clip } }
}
