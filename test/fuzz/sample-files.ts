import { deflateSync } from "node:zlib"
import sharp from "sharp"

/** Small files of every form that tools read. */
export async function sampleImages(): Promise<readonly Uint8Array[]> {
  const image = () =>
    sharp({ create: { width: 24, height: 16, channels: 4, background: "#e80a" } }).withExif({
      IFD0: { Make: "Acme", Copyright: "Ann" },
    })
  return [
    await image().png().toBuffer(),
    await image().png({ palette: true, progressive: true }).toBuffer(),
    await image().jpeg({ progressive: true }).toBuffer(),
    await image().webp().toBuffer(),
    await image().webp({ lossless: true }).toBuffer(),
    await image().gif().toBuffer(),
    await image().tiff({ compression: "lzw" }).toBuffer(),
    await image().tiff({ tile: true, tileWidth: 16, tileHeight: 16, pyramid: true }).toBuffer(),
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="24" height="16" viewBox="0 0 24 16">
      <defs><filter id="f"><feGaussianBlur stdDeviation="2"/></filter><pattern id="p" width="4" height="4"><rect width="2" height="2"/></pattern>
      <linearGradient id="l"><stop offset="0.5" stop-color="red"/></linearGradient></defs><g id="g" transform="rotate(9)"><path d="M1 1 L9 9 A3 3 0 0 1 4 4 Z"
      fill="url(#l)" filter="url(#f)"/><rect width="9" height="9" fill="url(#p)"/><text x="2" y="9">a</text></g><use xlink:href="#g" x="9"/></svg>`,
    ),
  ]
}

export function samplePdf(content = "BT /F1 12 Tf 9 9 Td (Hello there) Tj ET"): Uint8Array {
  const stream = deflateSync(content)
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    Buffer.concat([
      Buffer.from(`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`),
      stream,
      Buffer.from("\nendstream"),
    ]),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ]
  return pdfOf(objects)
}

/** With a table that names each object's place. */
export function pdfOf(objects: readonly (string | Uint8Array)[]): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from("%PDF-1.7\n")]
  const places: number[] = []
  let length = parts[0]?.length ?? 0
  const add = (part: Uint8Array) => {
    parts.push(part)
    length += part.length
  }
  for (const [index, object] of objects.entries()) {
    places.push(length)
    add(Buffer.from(`${index + 1} 0 obj\n`))
    add(Buffer.from(object))
    add(Buffer.from("\nendobj\n"))
  }
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("")
  const end = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF`
  add(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${end}`))
  return Buffer.concat(parts)
}

export interface WavClaim {
  readonly rate?: number
  readonly channels?: number
  readonly bits?: number
  readonly bytes?: number
}

/** A moment of silence, whatever else it claims to be. */
export function sampleWav({ rate = 8_000, channels = 1, bits = 16, bytes }: WavClaim = {}) {
  const sound = Buffer.alloc(80)
  const head = Buffer.alloc(44)
  head.write("RIFF", 0, "latin1")
  head.writeUInt32LE(36 + sound.length, 4)
  head.write("WAVEfmt ", 8, "latin1")
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE((rate * channels * bits) >>> 3, 28)
  head.writeUInt16LE(((channels * bits) >> 3) & 0xffff, 32)
  head.writeUInt16LE(bits, 34)
  head.write("data", 36, "latin1")
  head.writeUInt32LE(bytes ?? sound.length, 40)
  return Buffer.concat([head, sound])
}

/** A frame of silence, as often as is asked for. */
export function sampleMp3(frames: number): Uint8Array {
  const frame = Buffer.alloc(417)
  Buffer.from([0xff, 0xfb, 0x90, 0x64]).copy(frame)
  return Buffer.concat(Array.from({ length: frames }, () => frame))
}
