import { execFile } from "node:child_process"
import { promisify } from "node:util"

const run = promisify(execFile)

/** The files that a program of this machine has to find to start, its loader among them. */
export async function librariesOf(program: string): Promise<readonly string[]> {
  // It fails for a program that needs none.
  const { stdout } = await run("ldd", [program]).catch(() => ({ stdout: "" }))
  return stdout.split("\n").flatMap((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1] ?? [])
}

/** Which of a program's libraries is the one that loads the others. */
export function isLoader(name: string): boolean {
  return name.startsWith("ld-")
}
