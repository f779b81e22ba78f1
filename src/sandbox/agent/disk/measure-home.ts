import { runLines } from "./run-lines.ts"

/** What files take on the disk. */
export interface DiskUse {
  readonly bytes: number
  readonly files: number
}

interface MeasureOptions {
  readonly isWaitedFor?: boolean
  /** Directories count with their bytes, and not as files. */
  readonly skipsDirectories?: boolean
}

export const blockBytes = 512

/**
 * A file with several names counts once, also when they are in several directories. Ends early at `mostFiles`, since
 * empty files have no limit.
 */
export async function measureHome(
  home: string | readonly string[],
  mostFiles: number,
  options: MeasureOptions = {},
): Promise<DiskUse> {
  const walk = [...[home].flat(), "-xdev", "-printf", "%y %n %i %b\\n"]
  const counted = (program: string, args: readonly string[]) =>
    count((onLine) => runLines(program, args, onLine, options), mostFiles, options)
  if (process.getuid?.() === 0) return counted("find", walk)
  // As the root of a user namespace its owner also sees into directories that he has closed to himself.
  return counted("unshare", ["--map-root-user", "find", ...walk]).catch(() => counted("find", walk))
}

async function count(
  run: (onLine: (line: string) => boolean) => Promise<boolean>,
  mostFiles: number,
  { skipsDirectories = false }: MeasureOptions,
): Promise<DiskUse> {
  const linked = new Set<string>()
  let bytes = 0
  let files = 0
  await run((line) => {
    const [type, names, inode = "", blocks] = line.split(" ")
    if (type !== "d" && names !== "1") {
      if (linked.has(inode)) return true
      linked.add(inode)
    }
    if (type !== "d" || !skipsDirectories) files += 1
    bytes += Number(blocks) * blockBytes
    return files <= mostFiles
  })
  // Files may go while they are counted, which is not a failure; that nothing could be counted is one.
  if (files === 0 && !skipsDirectories) throw new Error("Nothing could be counted.")
  return { bytes, files }
}

/** What several sandboxes may have together: layers and snapshots, by their names. */
export type SharedUse = ReadonlyMap<string, DiskUse>

export function bytesOf(parts: SharedUse): ReadonlyMap<string, number> {
  return new Map([...parts].map(([name, { bytes }]) => [name, bytes]))
}
