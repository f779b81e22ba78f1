import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { errorCode } from "../kit/index.ts"

/**
 * Makes a directory and those it lies in, and returns the first that it made. As `mkdir` with `recursive` does,
 * but that one never returns where no directory can be made and the system calls it missing, such as in /proc.
 */
export function makeDirectories(path: string, mode: number): string | undefined {
  try {
    mkdirSync(path, mode)
    return path
  } catch (error) {
    if (isDirectory(path)) return undefined
    const parent = dirname(path)
    if (errorCode(error) !== "ENOENT" || isDirectory(parent)) throw error
    const first = makeDirectories(parent, mode)
    const own = makeDirectories(path, mode)
    return first ?? own
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
