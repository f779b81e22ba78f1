import { release } from "node:os"

/** Whether this machine's kernel is of that version or a later one. */
export function kernelSince(major: number, minor: number): boolean {
  const [ourMajor = 0, ourMinor = 0] = release().split(".").map(Number)
  return ourMajor > major || (ourMajor === major && ourMinor >= minor)
}
