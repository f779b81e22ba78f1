import { constants, type FileHandle, open } from "node:fs/promises"
import type { FileRead } from "../../../host/operation.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import type { FileScope } from "./file-scope.ts"
import { findInside } from "./find-inside.ts"
import { hold } from "./hold.ts"

const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = constants
/** Between two reads of this size an abort is noticed. */
const stepBytes = 4 * 1024 * 1024

/** The asked part of a regular file, as long as the file is when it is opened. */
export async function readFile(
  { path, offset, length }: FileRead,
  { root, signal }: FileScope,
): Promise<Uint8Array> {
  const held = await hold(await findInside(path, root), root, path)
  try {
    if (held.stats.isDirectory()) throw new WorkspaceError("is-directory", path)
    if (!held.stats.isFile()) throw new WorkspaceError("not-file", path)
    const file = await open(held.at, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    try {
      const left = Math.max(0, (await file.stat()).size - offset)
      return await readRange(file, offset, Math.min(left, length ?? left), signal)
    } finally {
      await file.close()
    }
  } finally {
    await held.release()
  }
}

async function readRange(
  file: FileHandle,
  offset: number,
  length: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    signal.throwIfAborted()
    const step = Math.min(stepBytes, length - filled)
    const { bytesRead } = await file.read(bytes, filled, step, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
