const names: Readonly<Record<number, string>> = {
  270: "description",
  271: "camera_make",
  272: "camera_model",
  274: "orientation",
  305: "software",
  306: "modified_at",
  315: "artist",
  33432: "copyright",
  36867: "taken_at",
  34855: "iso",
}
const subdirectory = 0x8769
const asciiType = 2
const shortType = 3
const longType = 4
const entryBytes = 12
const mostEntries = 200
const mostCharacters = 200

/** The few facts of a camera's notes that say something; nothing of what is broken in them. */
export function readExif(exif: Uint8Array): Readonly<Record<string, string | number>> {
  const head = new TextDecoder("latin1").decode(exif.subarray(0, 6)) === "Exif\0\0" ? 6 : 0
  const view = new DataView(exif.buffer, exif.byteOffset + head, exif.byteLength - head)
  const found: Record<string, string | number> = {}
  try {
    const little = view.getUint16(0) === 0x4949
    readDirectory({ view, little, found }, view.getUint32(4, little), true)
  } catch (error) {
    // An offset that leads out of the block; what was read until then stays.
    if (!(error instanceof RangeError)) throw error
  }
  return found
}

interface Reading {
  readonly view: DataView
  readonly little: boolean
  readonly found: Record<string, string | number>
}

function readDirectory(reading: Reading, start: number, enters: boolean): void {
  const { view, little, found } = reading
  const count = Math.min(view.getUint16(start, little), mostEntries)
  for (let index = 0; index < count; index += 1) {
    const entry = start + 2 + index * entryBytes
    const tag = view.getUint16(entry, little)
    if (tag === subdirectory && enters) {
      readDirectory(reading, view.getUint32(entry + 8, little), false)
      continue
    }
    const name = names[tag]
    const value = name === undefined ? null : readValue(reading, entry)
    if (name !== undefined && value !== null) found[name] = value
  }
}

function readValue({ view, little }: Reading, entry: number): string | number | null {
  const length = view.getUint32(entry + 4, little)
  switch (view.getUint16(entry + 2, little)) {
    case shortType:
      return view.getUint16(entry + 8, little)
    case longType:
      return view.getUint32(entry + 8, little)
    case asciiType: {
      const at = length <= 4 ? entry + 8 : view.getUint32(entry + 8, little)
      const bytes = Array.from({ length: Math.min(length, mostCharacters) }, (_, index) =>
        view.getUint8(at + index),
      )
      const text = new TextDecoder().decode(Uint8Array.from(bytes)).split("\0")[0]?.trim()
      return text || null
    }
    default:
      return null
  }
}
