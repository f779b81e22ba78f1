import sharp from "sharp"
import { expect, it } from "vitest"
import { readExif } from "./read-exif.ts"

async function exifOf(): Promise<Uint8Array> {
  const image = sharp({ create: { width: 2, height: 2, channels: 3, background: "red" } })
  const exif = {
    IFD0: { Make: "Acme", Software: "x".repeat(500) },
    IFD2: { DateTimeOriginal: "2026:01:02 03:04:05" },
  }
  const file = await image.withExif(exif).jpeg().toBuffer()
  return (await sharp(file).metadata()).exif ?? new Uint8Array()
}

it("Y14: a camera's notes are read, long ones cut", async () => {
  expect(readExif(await exifOf())).toMatchObject({
    camera_make: "Acme",
    software: "x".repeat(200),
    taken_at: "2026:01:02 03:04:05",
  })
})

it("Y14: notes that are cut off or nonsense are read as far as they go", async () => {
  const whole = await exifOf()
  for (let length = 0; length < whole.length; length += 7) {
    expect(Object.keys(readExif(whole.slice(0, length))).length).toBeLessThan(10)
  }
  for (let at = 0; at + 4 < whole.length; at += 3) {
    const broken = Uint8Array.from(whole)
    broken.fill(0xff, at, at + 4)
    expect(Object.keys(readExif(broken)).length).toBeLessThan(10)
  }
})
