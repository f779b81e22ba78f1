import sharp from "sharp"
import { expect, it } from "vitest"
import { imageSize } from "./image-size.ts"

const blank = sharp({ create: { width: 301, height: 45, channels: 4, background: "#8040ff80" } })

it.each<[string, () => Promise<Buffer>]>([
  ["PNG", () => blank.clone().png().toBuffer()],
  ["JPEG", () => blank.clone().jpeg().toBuffer()],
  ["progressive JPEG", () => blank.clone().jpeg({ progressive: true }).toBuffer()],
  ["JPEG with much before its frame", () => blank.clone().withMetadata().jpeg().toBuffer()],
  ["GIF", () => blank.clone().gif().toBuffer()],
  ["lossy WebP", () => blank.clone().removeAlpha().webp().toBuffer()],
  ["lossless WebP", () => blank.clone().removeAlpha().webp({ lossless: true }).toBuffer()],
  ["WebP with transparency", () => blank.clone().webp().toBuffer()],
])("Y14: reads the size from the head of a %s", async (_, make) => {
  const bytes = await make()
  expect(imageSize(bytes)).toEqual({ width: 301, height: 45 })
  // The same bytes anywhere in a larger buffer, which is how files are often read.
  const within = Buffer.concat([Buffer.alloc(7), bytes]).subarray(7)
  expect(imageSize(within)).toEqual({ width: 301, height: 45 })
})

it("Y14: whatever is cut off, empty or something else has no size, and nothing throws", async () => {
  const whole = [
    await blank.clone().png().toBuffer(),
    await blank.clone().jpeg().toBuffer(),
    await blank.clone().gif().toBuffer(),
    await blank.clone().webp().toBuffer(),
  ]
  for (const bytes of whole) {
    for (let length = 0; length < 9; length += 1) {
      expect(imageSize(bytes.subarray(0, length))).toBeNull()
    }
    for (let length = 9; length < Math.min(bytes.length, 400); length += 1) {
      expect([null, 301]).toContain(imageSize(bytes.subarray(0, length))?.width ?? null)
    }
  }
  expect(imageSize(Buffer.from("<svg/>"))).toBeNull()
  expect(imageSize(Buffer.from("RIFF0000WEBPALPH0000000000000000"))).toBeNull()
  expect(imageSize(Buffer.from([0xff, 0xd8, 0xff, 0xff, 0xff, 0xff]))).toBeNull()
  expect(imageSize(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 2, 0, 0]))).toBeNull()
})
