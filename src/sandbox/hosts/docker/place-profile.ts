import { createHash } from "node:crypto"
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createId } from "../../../kit/index.ts"
import { makeDirectories } from "../../../node/index.ts"

/**
 * A filter of system calls as a file, named after its content and in a directory that only this user
 * writes. Looked at before each use: an engine that finds another filter there would start without ours.
 */
export function placeProfile(directory: string, profile: string): string {
  makeDirectories(directory, 0o755)
  chmodSync(directory, 0o755)
  const name = createHash("sha256").update(profile).digest("hex")
  const path = join(directory, `${name}.json`)
  if (contentOf(path) !== profile) {
    // Whole or not at all: another process may be about to use it.
    const temporary = join(directory, createId("new"))
    writeFileSync(temporary, profile, { mode: 0o644, flag: "wx" })
    renameSync(temporary, path)
  }
  return path
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}
