import {
  type CallContext,
  ToolFailure,
  trimEndToCharacter,
  type Workspace,
} from "../../contract/index.ts"
import { mimeTypeOfBytes, mimeTypeOfName, signatureBytes } from "../../node/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"
import type { Artifact, Artifacts } from "../../store/index.ts"
import { invalidArgument } from "../arguments.ts"
import { readChunks } from "../file/read/file-source.ts"
import { textFrom } from "../file/read/text-bytes.ts"
import { artifactLimits } from "../limits.ts"
import { plainName } from "./filename.ts"
import { copyFailed, type SharedFile } from "./find-shared.ts"

export interface CopyRequest {
  readonly file: SharedFile
  readonly workspace: Workspace
  readonly artifacts: Artifacts
  readonly signal: CallContext["signal"]
  /** The file's own when absent. */
  readonly filename: string | undefined
  /** Found out when absent. */
  readonly mimeType: string | undefined
}

/** Copies a file of a sandbox, or a directory as a tar, to where the person finds it. */
export async function copyShared(request: CopyRequest): Promise<Artifact> {
  const { file, signal } = request
  try {
    return await copy(request)
  } catch (error) {
    signal.throwIfAborted()
    // Its own refusals already say all there is.
    if (error instanceof ToolFailure && !(error instanceof WorkspaceError)) throw error
    throw copyFailed(file.path, error)
  }
}

async function copy(request: CopyRequest): Promise<Artifact> {
  const { file, workspace, artifacts } = request
  switch (file.stat.type) {
    case "directory":
      return artifacts.keep({
        filename: request.filename ?? archiveName(file.path),
        mimeType: request.mimeType ?? "application/x-tar",
        content: treeOf(request),
      })
    case "file":
      requireSize(file.stat.size)
      return artifacts.keep({
        filename: request.filename ?? plainName(lastPart(file.path)),
        mimeType: request.mimeType ?? (await typeOf(request)),
        content: contentOf(request),
      })
    case "other":
      throw invalidArgument(
        "path",
        `${JSON.stringify(file.path)} is neither a file nor a directory, so it can't be shared from ${workspace.roots.join(", ")}.`,
        "a file or a directory",
      )
    default:
      return file.stat.type satisfies never
  }
}

async function* contentOf({ file, workspace, signal }: CopyRequest) {
  const { path, stat } = file
  let copied = 0
  const { chunkBytes } = artifactLimits
  for await (const chunk of readChunks({ workspace, path, size: stat.size, signal, chunkBytes })) {
    copied += chunk.length
    yield chunk
  }
  if (copied < stat.size) throw new Error("it became shorter while it was copied; share it again.")
}

async function* treeOf({ file, workspace, signal }: CopyRequest) {
  const archive = await workspace.exportTree(file.path, { signal })
  let copied = 0
  for await (const chunk of archive) {
    signal.throwIfAborted()
    copied += chunk.length
    requireSize(copied)
    yield chunk
  }
}

function requireSize(bytes: number): void {
  if (bytes <= artifactLimits.bytes) return
  throw invalidArgument(
    "path",
    `More than ${artifactLimits.bytes} bytes can't be shared at once. Share a part of it, or compress it first.`,
    `at most ${artifactLimits.bytes} bytes`,
  )
}

async function typeOf({ file, workspace, signal, filename }: CopyRequest): Promise<string> {
  const told = mimeTypeOfName(filename ?? file.path)
  if (told !== null) return told
  const length = Math.min(signatureBytes, file.stat.size)
  return typeOfBytes(
    length === 0
      ? new Uint8Array()
      : await workspace.readFileBuffer(file.path, { length, offset: 0, signal }),
  )
}

function typeOfBytes(start: Uint8Array): string {
  const looks = mimeTypeOfBytes(start)
  if (looks !== null) return looks
  // The end of the start may lie inside of a character.
  return textFrom(trimEndToCharacter(start)) === null ? "application/octet-stream" : "text/plain"
}

function archiveName(path: string): string {
  return plainName(`${lastPart(path) || "files"}.tar`)
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}
