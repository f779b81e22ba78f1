import { runLines } from "./run-lines.ts"

/** What files take on the disk. */
export interface DiskUse {
  readonly bytes: number
  readonly files: number
}

export const blockBytes = 512

/** A file with several names counts once. Ends early at so many files, since there is no end to empty ones. */
export async function measureHome(home: string, mostFiles: number): Promise<DiskUse> {
  if (process.getuid?.() === 0) return count("find", [], home, mostFiles)
  // As the root of a user namespace its owner also sees into directories that he has closed to himself.
  return count("unshare", ["--map-root-user", "find"], home, mostFiles).catch(() =>
    count("find", [], home, mostFiles),
  )
}

async function count(
  program: string,
  before: readonly string[],
  home: string,
  mostFiles: number,
): Promise<DiskUse> {
  const linked = new Set<string>()
  let bytes = 0
  let files = 0
  await runLines(program, [...before, home, "-xdev", "-printf", "%y %n %i %b\\n"], (line) => {
    const [type, names, inode = "", blocks] = line.split(" ")
    if (type !== "d" && names !== "1") {
      if (linked.has(inode)) return true
      linked.add(inode)
    }
    files += 1
    bytes += Number(blocks) * blockBytes
    return files <= mostFiles
  })
  // Files go while they are counted, which is no failure; that nothing could be counted is one.
  if (files === 0) throw new Error(`${program} counted nothing.`)
  return { bytes, files }
}
