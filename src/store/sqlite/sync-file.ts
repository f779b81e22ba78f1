import { open } from "node:fs/promises"

/** Resolves when what was written to the file survives the end of the machine. One that is gone has nothing to lose. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r").catch(() => null)
  try {
    await handle?.datasync()
  } finally {
    await handle?.close()
  }
}
