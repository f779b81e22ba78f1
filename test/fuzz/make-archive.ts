import type { Random } from "./random.ts"

const block = 512

const plainNames = ["a", "b", "dir/file", "./c", "dir/./b", "d/e/f/g", "dir/h", "i"]

/** Names that entries and links are given, besides those that lead to a file outside. */
const names = [
  ...["a", "b", "dir", "dir/", "dir/file", "./a", "dir/./b", "a/b/c/d", "link", "link/file", "."],
  ...["", "/", "..", "../up", "dir/../../up", "/etc/passwd", "~", "-rf", "a\nb", "\u00e9\u202e"],
  ...["x".repeat(99), "x".repeat(300), "d/".repeat(120), "d/".repeat(3_000), "\0hidden", "a\0b"],
  ...[".wh.a", "dir/.wh..wh..opq", "manifest.json", "proc/self/root", "dev/null", "con", "a\\b"],
]

const types = [..."555211\0gxLKSVMD3467NA"]
const magics = ["ustar\u000000", "ustar  \0", "", "ustar", "\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff"]
const paxKeys = ["path", "linkpath", "size", "mtime", "mode", "uid", "SCHILY.xattr.user.x"]
const sparseKeys = ["GNU.sparse.major", "GNU.sparse.name", "GNU.sparse.realsize", "GNU.sparse.map"]
const sizes = [0, 1, 511, 512, 513, 5_000, 8 * 1024 ** 3, 2 ** 53, Number.MAX_VALUE]

/** Nearly right, or far from it: how often something about an archive is odd. */
const rates = [0, 0.02, 0.1, 0.5]

interface Making {
  readonly random: Random
  /** Whether the next choice is an odd one. */
  odd(): boolean
  /** A name, or where a link leads. */
  way(): string
}

/** An archive that is nearly right: what it says of itself, and what it holds, differ here and there. */
export function makeArchive(random: Random, outside: string): Buffer {
  const ways = [...names, outside, `${"../".repeat(20)}${outside.slice(1)}`]
  const rate = random.pick(rates)
  const odd = () => random.chance(rate)
  const making = { random, odd, way: () => random.pick(odd() ? ways : plainNames) }
  const parts = Array.from({ length: 1 + random.below(5) }, () => makeEntry(making))
  const whole = Buffer.concat([...parts, Buffer.alloc(odd() ? 0 : 2 * block)])
  return odd() ? spoil(whole, random) : whole
}

function makeEntry(making: Making): Buffer {
  const { random, odd, way } = making
  const extended = random.chance(0.25) ? makeExtension(making) : []
  const type = odd() ? random.pick(types) : random.pick(["0", "0", "2"])
  const isFile = type === "0" || odd()
  const body = Buffer.alloc(isFile ? random.below(2_000) : 0, "content ")
  const header = makeHeader(making, {
    name: way(),
    link: type === "0" ? "" : way(),
    type,
    size: odd() ? random.pick(sizes) : body.length,
  })
  return Buffer.concat([...extended, header, padded(body)])
}

/** Pax records or GNU's long names, which say something else about the next entry. */
function makeExtension(making: Making): Buffer[] {
  const { random, odd, way } = making
  const type = random.pick([..."xxxgL"])
  const body =
    type === "L"
      ? Buffer.from(`${way()}${odd() ? "" : "\0"}`)
      : Buffer.concat(Array.from({ length: 1 + random.below(3) }, () => paxRecord(making)))
  return [makeHeader(making, { name: "ext", link: "", type, size: body.length }), padded(body)]
}

function paxRecord({ random, odd, way }: Making): Buffer {
  const key = odd() ? random.pick([...paxKeys, ...sparseKeys]) : random.pick(["path", "comment"])
  const value = odd() ? String(random.pick(sizes)) : way()
  const text = ` ${key}=${value}${odd() ? "" : "\n"}`
  const size = Buffer.byteLength(text)
  const length = size + String(size + String(size).length).length
  const said = odd() ? random.pick([0, -1, length + 7, 99_999_999]) : length
  return Buffer.from(`${said}${text}`)
}

interface HeaderFields {
  readonly name: string
  readonly link: string
  readonly type: string
  readonly size: number
}

function makeHeader({ random, odd, way }: Making, fields: HeaderFields): Buffer {
  const { name, link, type, size } = fields
  const header = Buffer.alloc(block)
  header.write(name, 0, 100)
  header.write(odd() ? random.pick(["0007777", "0000000", "9999999", "-000001"]) : "0000644", 100)
  writeNumber(header, { random, odd, way }, size, 124)
  writeNumber(header, { random, odd, way }, odd() ? 2 ** 40 : 1_700_000_000, 136)
  header.write(" ".repeat(8), 148)
  header.write(type, 156, 1)
  header.write(link, 157, 100)
  header.write(odd() ? random.pick(magics) : "ustar\u000000", 257, 8, "latin1")
  if (odd()) header.write(way(), 345, 155)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write((sum + (odd() ? 1 : 0)).toString(8).padStart(6, "0"), 148)
  header.writeUInt8(0, 154)
  return header
}

/** In octal digits, or in the form for what those can't say. */
function writeNumber(header: Buffer, { random, odd }: Making, value: number, at: number): void {
  const octal = Number.isSafeInteger(value) ? value.toString(8) : "7".repeat(12)
  if (octal.length <= 11 && !odd()) {
    header.write(octal.padStart(11, "0"), at)
    return
  }
  header.fill(random.pick([0, 0xff]), at, at + 12)
  header.writeUInt8(random.pick([0x80, 0xff]), at)
  header.writeBigUInt64BE(BigInt(Math.min(value, Number.MAX_SAFE_INTEGER)), at + 4)
}

function padded(body: Buffer): Buffer {
  return Buffer.concat([body, Buffer.alloc((block - (body.length % block)) % block)])
}

/** Cut off, twice in a row, or with some bytes changed. */
function spoil(archive: Buffer, random: Random): Buffer {
  if (random.chance(0.3)) return archive.subarray(0, random.below(archive.length))
  if (random.chance(0.3)) return Buffer.concat([archive, archive])
  const changed = Buffer.from(archive)
  for (let count = 1 + random.below(8); count > 0; count -= 1) {
    changed.writeUInt8(random.below(256), random.below(changed.length))
  }
  return changed
}
