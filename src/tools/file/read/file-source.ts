import { limits, type Workspace } from "../../../contract/index.ts"

/** A regular file that is read piece by piece. */
export interface FileSource {
  readonly workspace: Workspace
  readonly path: string
  /** As it was when the call began: a file that grows meanwhile ends here. */
  readonly size: number
  readonly signal: AbortSignal
  /** How much is read at once; `limits.chunkBytes` when absent. */
  readonly chunkBytes?: number
}

/** The bytes from `offset` on, fewer than `length` only where the file ends. */
export async function readBytes(
  source: FileSource,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  const wanted = Math.min(length, Math.max(0, source.size - offset))
  const first = await readOnce(source, offset, wanted)
  if (first.length === wanted || first.length === 0) return first
  const rest = await readBytes(source, offset + first.length, wanted - first.length)
  return Buffer.concat([first, rest])
}

/** Every chunk of the file in turn. */
export async function* readChunks(source: FileSource): AsyncGenerator<Uint8Array> {
  const { size, chunkBytes = limits.chunkBytes } = source
  let offset = 0
  while (offset < size) {
    const length = Math.min(chunkBytes, size - offset)
    const chunk = await readOnce(source, offset, length)
    if (chunk.length === 0) return
    yield chunk
    offset += chunk.length
  }
}

async function readOnce(source: FileSource, offset: number, length: number): Promise<Uint8Array> {
  if (length === 0) return new Uint8Array()
  return source.workspace.readFileBuffer(source.path, { offset, length, signal: source.signal })
}
