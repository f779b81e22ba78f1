import sharp, { type Metadata, type Sharp } from "sharp"
import { ToolFailure } from "../../contract/index.ts"
import { errorText } from "../../kit/index.ts"
import { imageLimits } from "../limits.ts"
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

interface Colour {
  /** Such as "#ff8800". */
  readonly hex: string
  /** Of what can be seen of the image, from 0 to 1. */
  readonly share: number
}

const channels = 4
/** Colours that agree in so many of their upper bits count as one. */
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
