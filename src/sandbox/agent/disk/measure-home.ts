import { spawn } from "node:child_process"
import { once } from "node:events"

/** What files take on the disk. */
export interface DiskUse {
  readonly bytes: number
  readonly files: number
}

const blockBytes = 512

/**
 * Counts in a process of its own: this one would stand still for as long as it takes. A file with several
 * names counts once. Ends early at so many files, since there is no end to empty ones.
 */
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
  const child = spawn(program, [...before, home, "-xdev", "-printf", "%y %n %i %b\\n"], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH, LC_ALL: "C" },
  })
  // Without a free file descriptor there is neither a process nor a pipe, only this error.
  if (child.pid === undefined) throw (await once(child, "error"))[0]
  const linked = new Set<string>()
  let bytes = 0
  let files = 0
  let rest = ""
  child.stdout.setEncoding("latin1").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const [type, names, inode = "", blocks] = line.split(" ")
      if (type !== "d" && names !== "1") {
        if (linked.has(inode)) continue
        linked.add(inode)
      }
      files += 1
      bytes += Number(blocks) * blockBytes
    }
    if (files > mostFiles) child.kill("SIGKILL")
  })
  return new Promise((resolve, reject) => {
    // Files go while they are counted, which is no failure; that nothing could be counted is one.
    child.once("close", () =>
      files > 0 ? resolve({ bytes, files }) : reject(new Error(`${program} counted nothing.`)),
    )
  })
}
