import { posix } from "node:path"
import { type CallContext, ToolFailure, type Workspace } from "../../../contract/index.ts"
import { fileLimits } from "../../limits.ts"
import { requireUnchanged } from "../edit/read-editable.ts"
import { bytesFrom } from "../read/text-bytes.ts"
import { parsePatch } from "./parse-patch.ts"
import { type FilePatch, PatchFault } from "./patch-names.ts"
import type { PatchedFile } from "./patch-tool.ts"
import type { PlannedFile } from "./plan-patch.ts"
import { planPatch, refused } from "./plan-patch.ts"

/** Checks every hunk of every file first, and writes only then. */
export async function applyPatch(
  patch: string,
  context: CallContext,
): Promise<readonly PatchedFile[]> {
  bytesFrom(patch, "patch")
  const patches = read(patch)
  const workspace = await context.workspace()
  const { files, changes } = await planPatch(patches, workspace, context)
  await writePlan(files, workspace, context.signal)
  return changes
}

function read(patch: string): readonly FilePatch[] {
  try {
    const patches = parsePatch(patch)
    if (patches.length === 0) {
      throw new PatchFault(
        'The patch changes no file: it has no lines such as "--- a/src/main.ts" and "@@ -1 +1 @@".',
      )
    }
    if (patches.length > fileLimits.patchFiles) {
      throw new PatchFault(`The patch changes more than ${fileLimits.patchFiles} files.`)
    }
    return patches
  } catch (error) {
    if (error instanceof PatchFault) throw refused(error.message)
    throw error
  }
}

type Undo = () => Promise<void>

/** Writes all of the files, or leaves all as they were: when one can't be written, those before it are put back. */
async function writePlan(
  files: readonly PlannedFile[],
  workspace: Workspace,
  signal: AbortSignal,
): Promise<void> {
  const changed = files.filter((file) => file.after !== (file.before?.text ?? null))
  for (const file of changed) await requireAsRead(file, workspace, signal)
  const undo: Undo[] = []
  try {
    // What is made comes first: a file whose new place can't be written still has its old one.
    for (const file of changed) {
      if (file.after !== null) await write(file, workspace, { signal, undo })
    }
    for (const file of changed) {
      if (file.after === null) await remove(file, workspace, { signal, undo })
    }
  } catch (error) {
    await putBack(undo, error)
    throw error
  }
}

interface Writing {
  readonly signal: AbortSignal
  readonly undo: Undo[]
}

async function write(file: PlannedFile, workspace: Workspace, writing: Writing): Promise<void> {
  const { path, before, after } = file
  const mode = workspace.can.fileModes ? (file.mode ?? undefined) : undefined
  if (before === null) {
    const made = await missingAbove(path, workspace, writing.signal)
    writing.undo.push(async () => {
      if (await workspace.exists(path)) await workspace.remove(path)
      // One in which something else is by now stays.
      for (const directory of made) await workspace.remove(directory).catch(() => {})
    })
  } else {
    writing.undo.push(() => workspace.writeFile(path, before.bytes))
  }
  await workspace.writeFile(path, after ?? "", { mode, signal: writing.signal })
}

async function remove(file: PlannedFile, workspace: Workspace, writing: Writing): Promise<void> {
  const { path, before } = file
  if (before === null) return
  const mode = workspace.can.fileModes ? before.mode : undefined
  writing.undo.push(async () => {
    if (!(await workspace.exists(path))) await workspace.writeFile(path, before.bytes, { mode })
  })
  await workspace.remove(path, { signal: writing.signal })
}

/** The directories that writing a file there will make, the deepest first. */
async function missingAbove(
  path: string,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const missing: string[] = []
  let directory = posix.dirname(path)
  while (directory !== "/" && !(await workspace.exists(directory, { signal }))) {
    missing.push(directory)
    directory = posix.dirname(directory)
  }
  return missing
}

async function requireAsRead(
  file: PlannedFile,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<void> {
  const { path, shown, before } = file
  if (before !== null) {
    await requireUnchanged({ workspace, path, shown, field: "patch", signal }, before.bytes)
  } else if (await workspace.exists(path, { signal })) {
    throw new ToolFailure({
      kind: "execution_error",
      message: `${JSON.stringify(shown)} was created by something else during this patch. Read it, then patch again.`,
    })
  }
}

/** Without the call's signal: what was begun is undone even when nobody waits any more. */
async function putBack(undo: readonly Undo[], cause: unknown): Promise<void> {
  const failed = await undo.toReversed().reduce(async (count, step) => {
    const before = await count
    return step().then(
      () => before,
      () => before + 1,
    )
  }, Promise.resolve(0))
  if (failed === 0) return
  const why = cause instanceof Error ? cause.message : String(cause)
  throw new ToolFailure(
    {
      kind: "execution_error",
      message: `${why} ${failed} of the files that were changed before could not be put back; look at them.`,
    },
    { cause },
  )
}
