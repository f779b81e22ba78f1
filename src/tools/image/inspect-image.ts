import sharp, { type Metadata, type Sharp } from "sharp"
import { ToolFailure } from "../../contract/index.ts"
import { errorText } from "../../kit/index.ts"
import { imageLimits } from "../limits.ts"
import { readExif } from "./read-exif.ts"

export interface EncodedImage {
  readonly bytes: Uint8Array
  readonly mimeType: string
}

const thumbnailPixels = 96
/** Letters of less than some ten points are read badly, so a small image is enlarged. */
const smallPixels = 1_000
/** In points per inch; without one, the reader guesses. */
const scanDensity = 300

/** What the converted image is for: the text reader, or a model. */
export type Purpose = "reading" | "model"

/** What is known of an image, and the image as a reader or a model takes it. */
export async function inspectImage(
  bytes: Uint8Array,
  { field, purpose }: { readonly field: "path" | "data"; readonly purpose: Purpose },
) {
  // SVG is unpacked from memory, so it has no place from which it could load other files.
  const limitInputPixels = imageLimits.pixels
  const open = () => sharp(bytes, { limitInputPixels, failOn: "error", autoOrient: true })
  try {
    const metadata = await open().metadata()
    const facts = await factsOf(metadata, open())
    const image =
      purpose === "reading" ? await forReading(metadata, open()) : await forModel(metadata, open())
    return { facts, image }
  } catch (error) {
    throw notAnImage(error, field)
  }
}

export type ImageFacts = Awaited<ReturnType<typeof factsOf>>

async function factsOf(metadata: Metadata, image: Sharp) {
  const { format, pages = 1, hasAlpha, density, exif, autoOrient } = metadata
  const small = fitting(thumbnailPixels, image).toColourspace("srgb").ensureAlpha()
  return {
    format: String(format),
    width: autoOrient.width,
    height: autoOrient.height,
    ...(pages > 1 ? { frames: pages } : {}),
    has_alpha: hasAlpha,
    colours: dominantColours(await small.raw().toBuffer(), imageLimits.colours),
    metadata: { ...(density ? { density } : {}), ...(exif ? readExif(exif) : {}) },
  }
}

/** Upright, grey and large enough for letters. */
async function forReading({ width, height }: Metadata, image: Sharp): Promise<EncodedImage> {
  const longer = Math.max(width, height)
  const size = longer < smallPixels ? longer * 2 : Math.min(longer, imageLimits.readingPixels)
  const white = image.flatten({ background: "white" }).greyscale()
  const sized = white.resize({ width: size, height: size, fit: "inside" })
  const made = sized.withMetadata({ density: scanDensity }).png()
  return { bytes: await made.toBuffer(), mimeType: "image/png" }
}

/** Upright, and no larger than models look at. */
async function forModel({ hasAlpha, format }: Metadata, image: Sharp): Promise<EncodedImage> {
  const small = fitting(imageLimits.modelPixels, image)
  return hasAlpha || format === "png"
    ? { bytes: await small.png().toBuffer(), mimeType: "image/png" }
    : { bytes: await small.jpeg({ quality: 90 }).toBuffer(), mimeType: "image/jpeg" }
}

function fitting(most: number, image: Sharp): Sharp {
  return image.resize({ width: most, height: most, fit: "inside", withoutEnlargement: true })
}

interface Colour {
  /** Such as "#ff8800". */
  readonly hex: string
  /** Of what can be seen of the image, from 0 to 1. */
  readonly share: number
}

const channels = 4
/** Colours that agree in this many of their upper bits count as one. */
const comparedBits = 3
const halfSeen = 128

/** The most common colours of red, green, blue and alpha bytes, the most common first. */
function dominantColours(pixels: Uint8Array, most: number): readonly Colour[] {
  const groups = new Map<number, { count: number; red: number; green: number; blue: number }>()
  let seen = 0
  for (let at = 0; at + channels <= pixels.length; at += channels) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(at, at + channels)
    if (alpha < halfSeen) continue
    seen += 1
    const key = [red, green, blue].reduce(
      (bits, one) => (bits << comparedBits) | (one >> (8 - comparedBits)),
      0,
    )
    const group = groups.get(key) ?? { count: 0, red: 0, green: 0, blue: 0 }
    group.count += 1
    group.red += red
    group.green += green
    group.blue += blue
    groups.set(key, group)
  }
  return [...groups.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, most)
    .map(({ count, red, green, blue }) => ({
      hex: `#${[red, green, blue].map((sum) => hexPair(sum / count)).join("")}`,
      share: Math.round((count / seen) * 1000) / 1000,
    }))
}

function hexPair(value: number): string {
  return Math.round(value).toString(16).padStart(2, "0")
}

function notAnImage(error: unknown, field: "path" | "data"): ToolFailure {
  const reason = errorText(error)
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
      "The file is not an image that can be read. PNG, JPEG, WebP, GIF, AVIF, TIFF and SVG can.",
    )
  }
  return refuse(`The image is damaged: ${(reason.split("\n")[0] ?? "").slice(0, 150)}.`)
}
