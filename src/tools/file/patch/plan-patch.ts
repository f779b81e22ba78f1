import {
  type CallContext,
  requirePath,
  type ToolFailure,
  type Workspace,
} from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { invalidArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"
import { textFrom } from "../read/text-bytes.ts"
import { applyHunks, type PatchedText, withLineEndsOf } from "./apply-hunks.ts"
import { type FileContent, linkProblem, readContent } from "./file-content.ts"
import { type FilePatch, PatchFault } from "./patch-names.ts"
import type { PatchedFile } from "./patch-tool.ts"

/** A file before and after; null for none. */
export interface PlannedFile {
  readonly path: string
  readonly shown: string
  readonly before: FileContent | null
  after: FileContent | null
  /** Whether a part of the patch has made it. */
  isMade: boolean
}

interface PatchPlan {
  readonly files: readonly PlannedFile[]
  readonly changes: readonly PatchedFile[]
}

/**
 * Applies a patch to what is there without writing anything. Later parts see what earlier ones made, but for renames and copies: as
 * git writes them, they start from what was there before the patch.
 */
export async function planPatch(
  patches: readonly FilePatch[],
  workspace: Workspace,
  context: CallContext,
): Promise<PatchPlan> {
  const files = new Map<string, PlannedFile>()
  const leaving = new Set(patches.flatMap((patch) => leavingPath(patch, workspace)))
  let bytes = 0

  async function look(shown: string, mayBeLink: boolean): Promise<PlannedFile> {
    const path = requirePath(shown, workspace, "patch")
    const known = files.get(path)
    if (known) return known
    const { signal } = context
    const before = await readContent(workspace, path, { mayBeLink, signal }).catch((error) => {
      if (isAbsent(error, path, leaving)) return null
      throw error
    })
    const file: PlannedFile = { path, shown, before, after: before, isMade: false }
    files.set(path, file)
    return file
  }

  const changes: PatchedFile[] = []
  for (const patch of patches) {
    const { from, to } = patch
    const source = from === null ? null : await look(from, patch.wasLink !== false)
    const target = to === null ? null : await look(to, false)
    // Each part of a patch goes through the whole of its file, also when that is the same one again.
    bytes += source?.after?.bytes.length ?? 0
    if (bytes > fileLimits.patchBytes) throw tooMuch()
    const outcome = changeFile(patch, { source, target, leaving, workspace })
    const shown = to ?? from ?? ""
    for (const { hunk, lines } of outcome.moved) {
      context.warn(`${shown}: hunk ${hunk} was applied ${counted(lines)} than it says.`)
    }
    if (patch.mode !== null && patch.mode !== 0o644 && !workspace.can.fileModes) {
      context.warn(`${shown}: this sandbox has no file modes, so its mode is not set.`)
    }
    changes.push({
      path: shown,
      ...(patch.change === "renamed" && from !== null ? { from } : {}),
      change: patch.change,
      hunks: patch.hunks.length,
      lines_added: outcome.added,
      lines_removed: outcome.removed,
    })
  }
  return { files: [...files.values()], changes }
}

/** What is at a path that the patch takes away. */
function leavingPath({ change, from }: FilePatch, workspace: Workspace): readonly string[] {
  const isLeaving = (change === "deleted" || change === "renamed") && from !== null
  return isLeaving ? [requirePath(from, workspace, "patch")] : []
}

/** Nothing is at a path, or by then: what is there as another kind goes with this very patch. */
function isAbsent(error: unknown, path: string, leaving: ReadonlySet<string>): boolean {
  if (!(error instanceof WorkspaceError)) return false
  switch (error.code) {
    case "not-found":
      return true
    case "is-directory":
      return [...leaving].some((gone) => gone.startsWith(`${path}/`))
    case "not-directory":
      return [...leaving].some((gone) => path.startsWith(`${gone}/`))
    default:
      return false
  }
}

interface ChangeDeps {
  readonly source: PlannedFile | null
  readonly target: PlannedFile | null
  readonly leaving: ReadonlySet<string>
  readonly workspace: Workspace
}

function changeFile(patch: FilePatch, deps: ChangeDeps): PatchedText {
  const { source, target, leaving, workspace } = deps
  const shown = patch.to ?? patch.from ?? ""
  if (target && target !== source && target.after !== null) {
    if (target.isMade || !leaving.has(target.path)) {
      throw refused(`${shown}: the patch creates this file, but it already exists.`)
    }
  }
  const { base, outcome } = applied(patch, source, shown)
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
  const isGone = patch.change === "deleted" || patch.change === "renamed"
  if (source && isGone && !source.isMade) source.after = null
  if (!target) return outcome
  const isLink = patch.isLink ?? base?.isLink ?? false
  const bytes = patch.hunks.length > 0 ? Buffer.from(outcome.text) : base?.bytes
  const problem = isLink && bytes ? linkProblem(workspace, target.path, outcome.text) : null
  if (problem !== null) throw refused(`${shown}: ${problem}`)
  if (target !== source) target.isMade = true
  target.after = { bytes: bytes ?? new Uint8Array(), mode: modeOf(patch, base), isLink }
  return outcome
}

/** git knows of one bit alone: whether a file can be run. */
function modeOf({ mode }: FilePatch, base: FileContent | null): number {
  if (base === null || base.isLink) return mode ?? 0o644
  if (mode === null) return base.mode
  return mode & 0o100 ? base.mode | ((base.mode & 0o444) >> 2) : base.mode & ~0o111
}

interface Applied {
  readonly base: FileContent | null
  readonly outcome: PatchedText
}

function applied(patch: FilePatch, source: PlannedFile | null, shown: string): Applied {
  const { hunks } = patch
  if (source === null) return { base: null, outcome: applyText("", patch, shown) }
  const isMoved = patch.from !== patch.to && patch.to !== null
  const bases = [...new Set(isMoved ? [source.before, source.after] : [source.after])]
  const [first, second] = bases.filter((one) => one !== null)
  if (first === undefined) throw new WorkspaceError("not-found", source.path)
  // Without hunks the bytes stay, whatever they are.
  const apply = (base: FileContent): Applied => {
    if (patch.wasLink === true && !base.isLink) throw refused(`${shown}: it is not a link.`)
    const text = textFrom(base.bytes)
    if (text === null && hunks.length > 0) throw refused(`${shown}: it is not UTF-8 text.`)
    const unread = { text: base.bytes.length > 0 ? "\0" : "", added: 0, removed: 0, moved: [] }
    return { base, outcome: text === null ? unread : applyText(text, patch, shown) }
  }
  if (second === undefined) return apply(first)
  try {
    return apply(first)
  } catch {
    return apply(second)
  }
}

/** As the patch has its line ends, or with the file's where those do not match. */
function applyText(text: string, { hunks }: FilePatch, shown: string): PatchedText {
  try {
    return applyHunks(text, hunks)
  } catch (error) {
    if (!(error instanceof PatchFault)) throw error
    const changed = withLineEndsOf(text, hunks)
    if (changed === hunks) throw refused(`${shown}: ${error.message}`)
    try {
      return applyHunks(text, changed)
    } catch (again) {
      if (again instanceof PatchFault) throw refused(`${shown}: ${again.message}`)
      throw again
    }
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
