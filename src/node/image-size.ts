import { mimeTypeOfBytes } from "./mime-types.ts"

export interface ImageSize {
  /** In pixels. */
  readonly width: number
  readonly height: number
}

/** The size that the head of a PNG, JPEG, GIF or WebP tells; null for anything else, or a broken one. */
export function imageSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return readers[mimeTypeOfBytes(bytes) ?? ""]?.(view) ?? null
  } catch (error) {
    // The bytes end before the size.
    if (error instanceof RangeError) return null
    throw error
  }
}

const readers: Readonly<Record<string, (view: DataView) => ImageSize | null>> = {
  "image/png": (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  "image/gif": (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
}

/** Segments of a JPEG that start a frame; the three between them hold tables. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** A JPEG is a row of segments; the one that starts the frame has the size. */
function jpegSize(view: DataView): ImageSize | null {
  let at = 2
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    // Before a marker, any number of these bytes may stand.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
  return null
}

const webpForms = { lossy: 0x56503820, lossless: 0x5650384c, extended: 0x56503858 } as const

function webpSize(view: DataView): ImageSize | null {
  switch (view.getUint32(12)) {
    case webpForms.lossy:
      return {
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      }
    case webpForms.lossless: {
      const bits = view.getUint32(21, true)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case webpForms.extended:
      // Two numbers of three bytes each.
      return {
        width: (view.getUint32(24, true) & 0xffffff) + 1,
        height: (view.getUint32(26, true) >>> 8) + 1,
      }
    default:
      return null
  }
}
