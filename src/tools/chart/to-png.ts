import { chartLimits } from "../limits.ts"

type Sharp = typeof import("sharp")["default"]

/** The same picture in pixels. */
export async function toPng(svg: string): Promise<{
  readonly bytes: Uint8Array
  readonly notes: readonly string[]
}> {
  const { default: sharp } = await import("sharp")
  const notes = (await canWrite(sharp)) ? [] : [withoutFonts]
  const limitInputPixels = chartLimits.pixelsMost ** 2
  const picture = sharp(Buffer.from(svg), { limitInputPixels, unlimited: true })
  return { bytes: await picture.png().toBuffer(), notes }
}

const withoutFonts =
  "This machine has no fonts, so the PNG has no text. Install some, such as Debian's fonts-dejavu-core, or use svg."

const probe =
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">' +
  '<text x="2" y="16" font-size="16" font-family="sans-serif">H</text></svg>'

/** Without a font, text is left out and nothing says so. */
async function canWrite(sharp: Sharp): Promise<boolean> {
  const { channels } = await sharp(Buffer.from(probe)).ensureAlpha().stats()
  return (channels[3]?.max ?? 0) > 0
}
