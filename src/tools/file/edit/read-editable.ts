import { ToolFailure, type Workspace } from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { invalidArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"
import { textFrom } from "../read/text-bytes.ts"

/** A text file as it was read, so that it can be seen whether it is still that. */
export interface EditableFile {
  readonly bytes: Uint8Array
  readonly text: string
  readonly mode: number
}

/** Where a file is, and what the caller calls it. */
export interface EditablePath {
  readonly workspace: Workspace
  readonly path: string
  readonly shown: string
  /** The argument that names it. */
  readonly field: string
  readonly signal: AbortSignal
}

/** All of a text file that is small enough to be edited; a failure for anything else. */
export async function readEditable(place: EditablePath): Promise<EditableFile> {
  const { workspace, path, signal } = place
  const { type, size, mode } = await workspace.stat(path, { signal })
  if (type === "directory") throw new WorkspaceError("is-directory", path)
  if (type === "other") throw new WorkspaceError("not-file", path)
  const most = fileLimits.editBytes
  if (size > most) throw tooBig(place, size)
  const bytes = await workspace.readFileBuffer(path, { length: most + 1, signal })
  if (bytes.length > most) throw tooBig(place, bytes.length)
  const text = textFrom(bytes)
  if (text === null) throw notText(place)
  return { bytes, text, mode }
}

/** A command may have written to the file meanwhile; its work is not to be lost. */
export async function requireUnchanged(place: EditablePath, before: Uint8Array): Promise<void> {
  const { workspace, path, shown, signal } = place
  const now = await workspace.readFileBuffer(path, { length: before.length + 1, signal })
  if (now.length === before.length && Buffer.compare(now, before) === 0) return
  throw new ToolFailure({
    kind: "execution_error",
    message: `${JSON.stringify(shown)} was changed by something else during this edit. Read it again, then edit.`,
  })
}

function tooBig({ shown, field }: EditablePath, size: number): ToolFailure {
  const most = fileLimits.editBytes
  return invalidArgument(
    field,
    `${JSON.stringify(shown)} has ${size} bytes; at most ${most} can be edited. Use a command such as sed.`,
    `a file of at most ${most} bytes`,
  )
}

function notText({ shown, field }: EditablePath): ToolFailure {
  return invalidArgument(
    field,
    `${JSON.stringify(shown)} is not UTF-8 text, so it can't be edited as text.`,
    "a UTF-8 text file",
  )
}
