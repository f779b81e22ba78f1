export interface ImageSize {
  readonly width: number
  readonly height: number
}

const pngStart = 0x89504e47

/** Of a PNG or JPEG that Chromium made. */
export function imageSize(bytes: Buffer): ImageSize {
  if (bytes.readUInt32BE(0) === pngStart) {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  }
  // A JPEG is a row of segments; the one that starts the frame says the size.
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at)
    if (marker >= 0xffc0 && marker <= 0xffc2) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    }
  }
  throw new Error("This is neither a PNG nor a JPEG.")
}
