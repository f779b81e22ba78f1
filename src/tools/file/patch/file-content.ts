import { posix } from "node:path"
import { packTar } from "modern-tar"
import { checkPath, type ToolFailure, type Workspace } from "../../../contract/index.ts"
import { createId } from "../../../kit/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { invalidArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"
import { readLink } from "../paths/info-tool.ts"

/** What is at a path: a file with its bytes, or a link whose bytes are where it leads. */
export interface FileContent {
  readonly bytes: Uint8Array
  /** Permission bits. */
  readonly mode: number
  readonly isLink: boolean
}

export function isSame(one: FileContent | null, other: FileContent | null): boolean {
  if (one === null || other === null) return one === other
  const isAlike = one.isLink === other.isLink && (one.isLink || one.mode === other.mode)
  return isAlike && Buffer.compare(one.bytes, other.bytes) === 0
}

/** A link as itself when it may be one, and otherwise the file that the path leads to. Throws a WorkspaceError. */
export async function readContent(
  workspace: Workspace,
  path: string,
  options: { readonly mayBeLink: boolean; readonly signal: AbortSignal },
): Promise<FileContent> {
  const { mayBeLink, signal } = options
  const target = mayBeLink ? await readLink(workspace, path, signal) : null
  if (target !== null) return { bytes: Buffer.from(target), mode: 0o777, isLink: true }
  const { type, size, mode } = await workspace.stat(path, { signal })
  if (type === "directory") throw new WorkspaceError("is-directory", path)
  if (type === "other") throw new WorkspaceError("not-file", path)
  const most = fileLimits.editBytes
  if (size > most) throw tooBig(path, size)
  const bytes = await workspace.readFileBuffer(path, { length: most + 1, signal })
  if (bytes.length > most) throw tooBig(path, bytes.length)
  return { bytes, mode, isLink: false }
}

/** Puts a file or a link where nothing is. */
export async function putContent(
  workspace: Workspace,
  path: string,
  content: FileContent,
  signal?: AbortSignal,
): Promise<void> {
  if (content.isLink) return putLink(workspace, path, content, signal)
  const mode = workspace.can.fileModes ? content.mode : undefined
  await workspace.writeFile(path, content.bytes, { mode, signal })
}

/** Unpacked beside and moved: both stay inside the workspace, whatever is swapped for a link meanwhile. */
async function putLink(
  workspace: Workspace,
  path: string,
  { bytes }: FileContent,
  signal: AbortSignal | undefined,
): Promise<void> {
  const beside = `${workspace.cwd}/.${createId("patch")}`
  const linkname = Buffer.from(bytes).toString()
  const archive = await packTar([
    { header: { name: "link", type: "symlink", linkname, size: 0, mode: 0o777 } },
  ])
  try {
    await workspace.importTree(beside, new Blob([archive]).stream(), { signal })
    await workspace.rename(`${beside}/link`, path, { signal })
  } finally {
    await workspace.remove(beside, { recursive: true })
  }
}

export async function removeIfThere(workspace: Workspace, path: string): Promise<void> {
  try {
    await workspace.remove(path)
  } catch (error) {
    if (!(error instanceof WorkspaceError && error.code === "not-found")) throw error
  }
}

/** Why a link must not be made; null for one that stays within the workspace. */
export function linkProblem(workspace: Workspace, path: string, target: string): string | null {
  const verdict = checkPath(target, { cwd: posix.dirname(path), roots: workspace.roots })
  return verdict.ok ? null : `it would be a link to ${JSON.stringify(target)}. ${verdict.message}`
}

function tooBig(path: string, size: number): ToolFailure {
  const most = fileLimits.editBytes
  return invalidArgument(
    "patch",
    `${JSON.stringify(path)} has ${size} bytes; at most ${most} can be edited. Use a command such as sed.`,
    `files of at most ${most} bytes`,
  )
}
