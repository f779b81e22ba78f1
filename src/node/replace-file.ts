import { rename, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { createId } from "../kit/index.ts"
import { makeDirectories } from "./make-directories.ts"

/** Writes a file, and its directory, that only their owner can read. Readers see the old text or the new one, never a part. */
export async function replaceFile(file: string, text: string): Promise<void> {
  makeDirectories(dirname(file), 0o700)
  const unfinished = `${file}.${createId("new")}`
  await writeFile(unfinished, text, { mode: 0o600 })
  await rename(unfinished, file)
}
