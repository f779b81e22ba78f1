import {
  type CallContext,
  requirePath,
  type ToolFailure,
  type Workspace,
} from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { invalidArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"
import { type EditableFile, readEditable } from "../edit/read-editable.ts"
import { applyHunks, withLineEndsOf } from "./apply-hunks.ts"
import { type FilePatch, PatchFault } from "./patch-names.ts"
import type { PatchedFile } from "./patch-tool.ts"

/** A file as it was and as it is to be; null for none. */
export interface PlannedFile {
  readonly path: string
  readonly shown: string
  readonly before: EditableFile | null
  after: string | null
  /** For a file that is made. */
  mode: number | null
}

interface PatchPlan {
  readonly files: readonly PlannedFile[]
  readonly changes: readonly PatchedFile[]
}

/** Applies a patch to what is there without writing anything: later parts see what earlier ones made. */
export async function planPatch(
  patches: readonly FilePatch[],
  workspace: Workspace,
  context: CallContext,
): Promise<PatchPlan> {
  const files = new Map<string, PlannedFile>()
  let bytes = 0

  async function look(shown: string): Promise<PlannedFile> {
    const path = requirePath(shown, workspace, "patch")
    const known = files.get(path)
    if (known) return known
    const before = await readIfThere({ workspace, path, shown, signal: context.signal })
    const file: PlannedFile = { path, shown, before, after: before?.text ?? null, mode: null }
    files.set(path, file)
    return file
  }

  const changes: PatchedFile[] = []
  for (const patch of patches) {
    const source = patch.from === null ? null : await look(patch.from)
    const target = patch.to === null ? null : await look(patch.to)
    // Each part of a patch goes through the whole of its file, also when that is the same one again.
    bytes += Buffer.byteLength(source?.after ?? "")
    if (bytes > fileLimits.patchBytes) throw tooMuch()
    const outcome = changeFile(patch, source, target)
    const shown = patch.to ?? patch.from ?? ""
    for (const { hunk, lines } of outcome.moved) {
      context.warn(`${shown}: hunk ${hunk} was applied ${counted(lines)} than it says.`)
    }
    changes.push({
      path: shown,
      ...(patch.change === "renamed" && patch.from !== null ? { from: patch.from } : {}),
      change: patch.change,
      hunks: patch.hunks.length,
      lines_added: outcome.added,
      lines_removed: outcome.removed,
    })
  }
  return { files: [...files.values()], changes }
}

function changeFile(patch: FilePatch, source: PlannedFile | null, target: PlannedFile | null) {
  const shown = patch.to ?? patch.from ?? ""
  if (source && source.after === null) throw new WorkspaceError("not-found", source.path)
  if (target && target !== source && target.after !== null) {
    throw refused(`${shown}: the patch creates this file, but it already exists.`)
  }
  const text = source?.after ?? ""
  const outcome = applied(patch, text, shown)
  if (Buffer.byteLength(outcome.text) > fileLimits.editBytes) {
    throw refused(
      `${shown}: it would grow past the ${fileLimits.editBytes} bytes that can be edited.`,
    )
  }
  if (patch.change === "deleted" && outcome.text !== "") {
    throw refused(
      `${shown}: the patch deletes this file, but does not show all of its lines as removed.`,
    )
  }
  if (source && patch.change !== "added") source.after = null
  if (target) {
    target.after = outcome.text
    target.mode = patch.mode ?? source?.before?.mode ?? null
  }
  return outcome
}

function applied(patch: FilePatch, text: string, shown: string) {
  try {
    return applyHunks(text, withLineEndsOf(text, patch.hunks))
  } catch (error) {
    if (error instanceof PatchFault) throw refused(`${shown}: ${error.message}`)
    throw error
  }
}

async function readIfThere(place: {
  readonly workspace: Workspace
  readonly path: string
  readonly shown: string
  readonly signal: AbortSignal
}): Promise<EditableFile | null> {
  try {
    return await readEditable({ ...place, field: "patch" })
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === "not-found") return null
    throw error
  }
}

/** Nothing has been written when this is thrown. */
export function refused(message: string): ToolFailure {
  return invalidArgument(
    "patch",
    `${message} Nothing was changed.`,
    "a unified diff of the files as they are",
  )
}

function tooMuch(): ToolFailure {
  return refused(
    `The files of the patch, each as often as it is named, have more than ${fileLimits.patchBytes} bytes together; make it several patches.`,
  )
}

function counted(lines: number): string {
  const many = Math.abs(lines)
  return `${many} line${many === 1 ? "" : "s"} ${lines > 0 ? "later" : "earlier"}`
}
