import { posix } from "node:path"
import { type CallContext, ToolFailure, type Workspace } from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { fileLimits } from "../../limits.ts"
import { requireUnchanged } from "../edit/read-editable.ts"
import { readLink } from "../paths/info-tool.ts"
import { bytesFrom } from "../read/text-bytes.ts"
import { isSame, putContent, removeIfThere } from "./file-content.ts"
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
  const changed = files.filter((file) => !isSame(file.before, file.after))
  for (const file of changed) await requireAsRead(file, workspace, signal)
  const made = changed.filter((file) => file.after !== null)
  const gone = changed.filter((file) => file.after === null)
  const [inTheWay, others] = partition(gone, (file) => made.some((one) => isOver(file, one)))
  const undo: Undo[] = []
  const writing = { workspace, signal, undo }
  try {
    // What is made comes first: a file whose new place can't be written still has its old one.
    for (const file of inTheWay) await remove(file, writing)
    for (const file of made) await write(file, inTheWay, writing)
    for (const file of others) await remove(file, writing)
  } catch (error) {
    await putBack(undo, error)
    throw error
  }
}

/** A file where a directory belongs, or a directory where a file belongs. */
function isOver(gone: PlannedFile, made: PlannedFile): boolean {
  return made.path.startsWith(`${gone.path}/`) || gone.path.startsWith(`${made.path}/`)
}

function partition<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

interface Writing {
  readonly workspace: Workspace
  readonly signal: AbortSignal
  readonly undo: Undo[]
}

async function write(
  file: PlannedFile,
  inTheWay: readonly PlannedFile[],
  { workspace, signal, undo }: Writing,
): Promise<void> {
  const { path, before, after } = file
  if (after === null) return
  if (before === null) {
    for (const directory of emptied(path, inTheWay)) await workspace.remove(directory, { signal })
    const made = await missingAbove(path, workspace, signal)
    undo.push(async () => {
      await removeIfThere(workspace, path)
      // One in which something else is by now stays.
      for (const directory of made) await workspace.remove(directory).catch(() => {})
    })
    await putContent(workspace, path, after, signal)
  } else if (before.isLink || after.isLink || before.mode !== after.mode) {
    // An existing file keeps its mode, and a link would be followed: it is replaced.
    undo.push(async () => {
      await removeIfThere(workspace, path)
      await putContent(workspace, path, before)
    })
    await workspace.remove(path, { signal })
    await putContent(workspace, path, after, signal)
  } else {
    undo.push(() => workspace.writeFile(path, before.bytes))
    await workspace.writeFile(path, after.bytes, { signal })
  }
}

async function remove(file: PlannedFile, { workspace, signal, undo }: Writing): Promise<void> {
  const { path, before } = file
  if (before === null) return
  undo.push(async () => {
    if (!(await workspace.exists(path))) await putContent(workspace, path, before)
  })
  await workspace.remove(path, { signal })
}

/** The directories at and below a path whose files were all removed, the deepest first. */
function emptied(path: string, removed: readonly PlannedFile[]): readonly string[] {
  const directories = new Set<string>()
  for (const file of removed) {
    let directory = posix.dirname(file.path)
    while (directory === path || directory.startsWith(`${path}/`)) {
      directories.add(directory)
      directory = posix.dirname(directory)
    }
  }
  return [...directories].sort((one, other) => other.length - one.length)
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
  if (before?.isLink) {
    const target = await readLink(workspace, path, signal)
    if (target === Buffer.from(before.bytes).toString()) return
    throw changedMeanwhile(shown, "changed")
  }
  if (before !== null) {
    await requireUnchanged({ workspace, path, shown, field: "patch", signal }, before.bytes)
  } else if (await isFile(path, workspace, signal)) {
    throw changedMeanwhile(shown, "created")
  }
}

/** A directory in the way is emptied first, and a file above it removed. */
async function isFile(path: string, workspace: Workspace, signal: AbortSignal): Promise<boolean> {
  try {
    return (await workspace.stat(path, { signal })).type !== "directory"
  } catch (error) {
    if (error instanceof WorkspaceError && ["not-found", "not-directory"].includes(error.code)) {
      return false
    }
    throw error
  }
}

function changedMeanwhile(shown: string, what: "changed" | "created"): ToolFailure {
  return new ToolFailure({
    kind: "execution_error",
    message: `${JSON.stringify(shown)} was ${what} by something else during this patch. Read it, then patch again.`,
  })
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
