import sharp, { type Metadata, type Sharp } from "sharp"
import { ToolFailure } from "../../contract/index.ts"
import { imageLimits } from "../limits.ts"
import { dominantColours } from "./dominant-colours.ts"
import { readExif } from "./read-exif.ts"

export interface EncodedImage {
  readonly bytes: Uint8Array
  readonly mimeType: string
}

/** An image that is one. */
export interface LoadedImage {
  readonly metadata: Metadata
  /** A small copy, as red, green, blue and alpha. */
  thumbnail(): Promise<Uint8Array>
  /** Upright, grey and large enough for letters. */
  forReading(): Promise<EncodedImage>
  /** Upright, and no larger than models look at. */
  forModel(): Promise<EncodedImage>
}

const thumbnailPixels = 96
/** Letters of less than some ten points are read badly, so a small image is enlarged. */
const smallPixels = 1_000
/** In points per inch; without one, the reader guesses. */
const scanDensity = 300

export async function loadImage(bytes: Uint8Array, field: "path" | "data"): Promise<LoadedImage> {
  const { pixels, readingPixels, modelPixels } = imageLimits
  // SVG is unpacked from memory, so it has no place from which it could load other files.
  const open = () => sharp(bytes, { limitInputPixels: pixels, failOn: "error", autoOrient: true })
  const attempt = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work()
    } catch (error) {
      throw notAnImage(error, field)
    }
  }
  const metadata = await attempt(() => open().metadata())
  const longer = Math.max(metadata.width, metadata.height)
  const fitting = (most: number, image: Sharp) =>
    image.resize({ width: most, height: most, fit: "inside", withoutEnlargement: true })
  return {
    metadata,
    thumbnail: () =>
      attempt(() =>
        fitting(thumbnailPixels, open()).toColourspace("srgb").ensureAlpha().raw().toBuffer(),
      ),
    forReading: () =>
      attempt(async () => {
        const size = longer < smallPixels ? longer * 2 : Math.min(longer, readingPixels)
        const white = open().flatten({ background: "white" }).greyscale()
        const sized = white.resize({ width: size, height: size, fit: "inside" })
        const made = sized.withMetadata({ density: scanDensity }).png()
        return { bytes: await made.toBuffer(), mimeType: "image/png" }
      }),
    forModel: () =>
      attempt(async () => {
        const small = fitting(modelPixels, open())
        return metadata.hasAlpha || metadata.format === "png"
          ? { bytes: await small.png().toBuffer(), mimeType: "image/png" }
          : { bytes: await small.jpeg({ quality: 90 }).toBuffer(), mimeType: "image/jpeg" }
      }),
  }
}

export type ImageFacts = Awaited<ReturnType<typeof inspectImage>>

export async function inspectImage(image: LoadedImage) {
  const { metadata } = image
  const { format, pages = 1, hasAlpha, density, exif, autoOrient } = metadata
  return {
    format: String(format),
    width: autoOrient.width,
    height: autoOrient.height,
    ...(pages > 1 ? { frames: pages } : {}),
    has_alpha: hasAlpha,
    colours: dominantColours(await image.thumbnail(), imageLimits.colours),
    metadata: { ...(density ? { density } : {}), ...(exif ? readExif(exif) : {}) },
  }
}

function notAnImage(error: unknown, field: "path" | "data"): ToolFailure {
  const reason = error instanceof Error ? error.message : String(error)
  const refuse = (message: string) =>
    new ToolFailure(
      {
        kind: "invalid_args",
        message,
        field,
        expected: "a PNG, JPEG, WebP, GIF, AVIF, TIFF or SVG image",
      },
      { cause: error },
    )
  if (/pixel limit/.test(reason)) {
    return refuse(
      `The image has more than ${imageLimits.pixels} pixels once unpacked. Make it smaller first.`,
    )
  }
  if (/unsupported image format/.test(reason)) {
    return refuse(
      "This is no image that can be read: PNG, JPEG, WebP, GIF, AVIF, TIFF and SVG can.",
    )
  }
  return refuse(`The image is damaged: ${(reason.split("\n")[0] ?? "").slice(0, 150)}.`)
}
