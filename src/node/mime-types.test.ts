import { expect, it } from "vitest"
import { extensionOf, isSameType, mimeTypeOfBytes, mimeTypeOfName } from "./mime-types.ts"

const latin = (text: string) => Buffer.from(text, "latin1")

it("O22: names tell their type by the last extension, in any case", () => {
  expect(mimeTypeOfName("a.b/Chart.SVG")).toBe("image/svg+xml")
  expect(mimeTypeOfName("archive.tar.gz")).toBe("application/gzip")
  expect(mimeTypeOfName("Makefile")).toBeNull()
  expect(mimeTypeOfName("x.constructor")).toBeNull()
})

it("O22: types tell their usual extension", () => {
  expect(extensionOf("image/JPEG; q=1")).toBe("jpg")
  expect(extensionOf("constructor")).toBeNull()
})

it("O22: first bytes tell a type, or nothing", () => {
  expect(mimeTypeOfBytes(latin("\x89PNG\r\n\x1a\n\0\0"))).toBe("image/png")
  expect(mimeTypeOfBytes(latin("RIFF\x10\0\0\0WAVEfmt "))).toBe("audio/wav")
  expect(mimeTypeOfBytes(latin("RIFF\x10\0\0\0WEBPVP8 "))).toBe("image/webp")
  expect(mimeTypeOfBytes(latin("\0\0\0\x20ftypM4A "))).toBe("audio/mp4")
  expect(mimeTypeOfBytes(latin('<?xml version="1.0"?>\n<!-- x --><svg xmlns="">'))).toBe(
    "image/svg+xml",
  )
  expect(mimeTypeOfBytes(latin("<p>an <svg> inside</p>"))).toBeNull()
  expect(mimeTypeOfBytes(latin("RIFF"))).toBeNull()
  expect(mimeTypeOfBytes(new Uint8Array())).toBeNull()
})

it("O22: a type's other names and an office document's zip are no mismatch", () => {
  expect(isSameType("image/jpg", "image/jpeg")).toBe(true)
  expect(isSameType("audio/webm;codecs=opus", "video/webm")).toBe(true)
  expect(
    isSameType(
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/zip",
    ),
  ).toBe(true)
  expect(isSameType("image/png", "image/jpeg")).toBe(false)
})
