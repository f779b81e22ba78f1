import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Capabilities } from "../../contract/index.ts"
import { createId } from "../../kit/index.ts"
import { requireEqual } from "./require.ts"

/** A directory of this machine that no sandbox may reach through its files. */
export interface Outside {
  readonly directory: string
  readonly file: string
  readonly secret: string
  /** Requires that nobody has changed, added or removed anything. */
  requireUntouched(): Promise<void>
}

export async function withOutside<Result>(
  work: (outside: Outside) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-outside-"))
  const file = join(directory, "secret.txt")
  const secret = createId("secret")
  try {
    await mkdir(join(directory, "empty"))
    await writeFile(file, secret)
    return await work({
      directory,
      file,
      secret,
      async requireUntouched() {
        requireEqual("the file outside", await readFile(file, "utf8"), secret)
        const names = (await readdir(directory, { recursive: true })).sort()
        requireEqual("the names outside", names, ["empty", "secret.txt"])
      },
    })
  } finally {
    // What a broken host has left running may still write into it.
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

/** Commands use this machine's own files, so a check can watch from outside. */
export function sharedFiles(can: Capabilities): boolean {
  return can.isolation === "none"
}
