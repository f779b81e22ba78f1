export interface Colour {
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
export function dominantColours(pixels: Uint8Array, most: number): readonly Colour[] {
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
