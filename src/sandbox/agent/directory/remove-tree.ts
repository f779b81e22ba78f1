import { promisify } from "node:util"

/**
 * Removes what a sandbox has left, however deep, many and closed its directories are. Done by another
 * process: this one would stand still for as long as it takes.
 */
export async function removeTree(directory: string): Promise<void> {
  // Loaded on first use: a call that needs no sandbox starts no process either (bench: cold-call).
  const { execFile } = await import("node:child_process")
  const run = promisify(execFile)
  try {
    await run("rm", ["-rf", "--", directory])
  } catch {
    // An ordinary user can't empty a directory that its owner has closed, even as that owner.
    await run("chmod", ["-R", "u+rwx", "--", directory]).catch(() => {})
    await run("rm", ["-rf", "--", directory])
  }
}
