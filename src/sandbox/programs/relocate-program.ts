/** Where a program finds what it needs to start. */
export interface ProgramLayout {
  /** The program that the kernel starts in its place, and that loads its libraries. */
  readonly loader: string
  /** The directory of all its libraries. */
  readonly libraries: string
}

/** A program as it is on disk, in the one form that this machine's processors have: 64 bits, low byte first. */
const magic = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1])

const segment = { load: 1, dynamic: 2, interpreter: 3, note: 4 } as const
const entry = { end: 0n, strings: 5n, searchFirst: 15n, debug: 21n, searchLast: 29n } as const

/** No processor of these has larger pages. */
const page = 0x10000n

interface Segment {
  /** Where its description is in the file. */
  readonly at: number
  readonly type: number
  readonly offset: bigint
  readonly address: bigint
  readonly size: bigint
  /** Where it ends in memory. */
  readonly end: bigint
}

/**
 * A copy of a program that starts with another loader and looks for its libraries in one directory, so
 * that it runs where its own C library is not installed. No variable is set for it, so the programs
 * that it starts are not affected. Null for a file that is not such a program, or has no room for the two names.
 *
 * The names are added at the end of the file. A note that nobody reads becomes the part that has them
 * loaded, and an entry for debuggers becomes the one that names the directory.
 */
export function relocateProgram(program: Buffer, parts: ProgramLayout): Buffer | null {
  if (!program.subarray(0, magic.length).equals(magic)) return null
  const segments = readSegments(program)
  const find = (type: number) => segments.findLast((one) => one.type === type)
  const [interpreter, dynamic, note, last] = [
    find(segment.interpreter),
    find(segment.dynamic),
    find(segment.note),
    find(segment.load),
  ]
  // The parts that are loaded are described in the order of their addresses.
  if (!interpreter || !dynamic || !note || !last || note.at < last.at) return null
  const entries = findEntries(program, dynamic)
  if (entries === null) return null

  const loader = Buffer.from(`${parts.loader}\0`)
  const names = Buffer.concat([loader, Buffer.from(`${parts.libraries}\0`)])
  const offset = roundUp(BigInt(program.length))
  const address = roundUp(last.end)
  const made = Buffer.concat([program, Buffer.alloc(Number(offset) - program.length), names])
  describe(made, note, { type: segment.load, offset, address, size: BigInt(names.length) })
  const size = BigInt(loader.length)
  describe(made, interpreter, { type: segment.interpreter, offset, address, size })
  made.writeBigUInt64LE(entry.searchFirst, entries.free)
  made.writeBigUInt64LE(address + size - entries.strings, entries.free + 8)
  return made
}

function readSegments(program: Buffer): Segment[] {
  const start = Number(program.readBigUInt64LE(32))
  const [width, count] = [program.readUInt16LE(54), program.readUInt16LE(56)]
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * width
    const address = program.readBigUInt64LE(at + 16)
    return {
      at,
      type: program.readUInt32LE(at),
      offset: program.readBigUInt64LE(at + 8),
      address,
      size: program.readBigUInt64LE(at + 32),
      end: address + program.readBigUInt64LE(at + 40),
    }
  })
}

/** Where its strings are in memory, and in the file an entry that can be given another meaning. */
function findEntries(
  program: Buffer,
  { offset, size }: Segment,
): { readonly strings: bigint; readonly free: number } | null {
  const found = new Map<bigint, number>()
  for (let at = Number(offset); at < Number(offset + size); at += 16) {
    const tag = program.readBigUInt64LE(at)
    if (tag === entry.end) break
    found.set(tag, at)
  }
  const strings = found.get(entry.strings)
  // A second directory would be asked as well, or before.
  const free = found.get(entry.searchLast) ?? found.get(entry.searchFirst) ?? found.get(entry.debug)
  if (strings === undefined || free === undefined) return null
  return { strings: program.readBigUInt64LE(strings + 8), free }
}

function describe(
  program: Buffer,
  { at }: Segment,
  { type, offset, address, size }: Pick<Segment, "type" | "offset" | "address" | "size">,
): void {
  const readable = 4
  program.writeUInt32LE(type, at)
  program.writeUInt32LE(readable, at + 4)
  program.writeBigUInt64LE(offset, at + 8)
  program.writeBigUInt64LE(address, at + 16)
  program.writeBigUInt64LE(address, at + 24)
  program.writeBigUInt64LE(size, at + 32)
  program.writeBigUInt64LE(size, at + 40)
  program.writeBigUInt64LE(type === segment.load ? page : 1n, at + 48)
}

function roundUp(value: bigint): bigint {
  return ((value + page - 1n) / page) * page
}
