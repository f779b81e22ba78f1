import type { Random } from "./random.ts"

const telling = [0x00, 0x01, 0x7f, 0x80, 0xff, 0x3c, 0x22, 0x28]

/** A file with a few mistakes in it: other bytes, pieces missing, repeated or of another file, numbers too large. */
export function mutateBytes(random: Random, files: readonly Uint8Array[]): Uint8Array {
  let bytes = Buffer.from(random.pick(files))
  const place = () => random.below(Math.max(1, bytes.length))
  for (let left = 1 + random.below(6); left > 0; left -= 1) {
    const at = place()
    switch (random.below(6)) {
      case 0:
        bytes[at] = random.chance(0.5) ? random.pick(telling) : random.below(256)
        break
      case 1:
        bytes.subarray(at, at + 1 + random.below(8)).fill(random.chance(0.5) ? 0xff : 0x00)
        break
      case 2:
        if (random.chance(0.3)) bytes = Buffer.from(bytes.subarray(0, at))
        break
      case 3: {
        const piece = bytes.subarray(at, at + random.below(200))
        bytes = Buffer.concat([bytes.subarray(0, at), piece, piece, bytes.subarray(at)])
        break
      }
      case 4:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(place())])
        break
      default: {
        const other = Buffer.from(random.pick(files))
        bytes = Buffer.concat([bytes.subarray(0, at), other.subarray(random.below(other.length))])
      }
    }
  }
  return bytes
}
