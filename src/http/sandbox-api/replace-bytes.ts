import { posix } from "node:path"
import { ToolFailure, type Workspace } from "../../contract/index.ts"
import { createId } from "../../kit/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"
import { httpLimits } from "../limits.ts"

/** Of everything that is not yet where it is to be, whichever host writes it. */
const unfinishedPrefix = ".toolkeep-"

function unfinishedName(): string {
  return `${unfinishedPrefix}${createId("upload")}`
}

/** Whether a path stands for something that is on its way, or lies in it. */
export function isUnfinished(path: string): boolean {
  return path.split("/").some((name) => name.startsWith(unfinishedPrefix))
}

/** Where a call writes. */
export interface WritePlace {
  readonly workspace: Workspace
  readonly path: string
  readonly signal: AbortSignal
}

interface NewContent {
  readonly body: AsyncIterable<Uint8Array>
  /** That of the old file, or of a new one, when undefined. */
  readonly mode: number | undefined
}

/** Written beside the file and put in its place when all of it is there: nobody knows before how long it is. */
export async function replaceBytes(
  { workspace, path: file, signal }: WritePlace,
  { body, mode }: NewContent,
): Promise<number> {
  const old = await workspace.stat(file, { signal }).catch(() => null)
  if (old && old.type !== "file") throw notAFile(old.type, file)
  const unfinished = posix.join(posix.dirname(file), unfinishedName())
  let bytes = 0
  try {
    const append = async (piece: Uint8Array) => {
      const isFirst = bytes === 0
      await workspace.writeFile(unfinished, piece, {
        ...{ append: !isFirst, mode: mode ?? old?.mode, signal },
      })
      bytes += piece.length
    }
    for await (const piece of gathered(body)) {
      if (bytes + piece.length > httpLimits.uploadBytes) throw tooLarge()
      await append(piece)
    }
    if (bytes === 0) await append(new Uint8Array())
    await workspace.rename(unfinished, file, { signal })
    return bytes
  } catch (error) {
    await workspace.remove(unfinished).catch(() => {})
    throw error
  }
}

/** Small pieces together: each write costs a command of the sandbox. */
async function* gathered(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    parts.push(part)
    size += part.length
    if (size < httpLimits.fileBytes) continue
    yield Buffer.concat(parts)
    parts = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(parts)
}

function tooLarge(): ToolFailure {
  const message = `The file is larger than ${httpLimits.uploadBytes / 1024 ** 3} GiB.`
  return new ToolFailure({ kind: "invalid_args", message })
}

export function notAFile(type: string, path: string): WorkspaceError {
  return new WorkspaceError(type === "directory" ? "is-directory" : "not-file", path)
}
