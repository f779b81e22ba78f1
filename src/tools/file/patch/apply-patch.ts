import { type CallContext, limits } from "../../../contract/index.ts"
import { takeFitting } from "../../take-fitting.ts"
import { bytesFrom } from "../read/text-bytes.ts"
import { type FilePatch, PatchFault } from "./file-patch.ts"
import { parsePatch } from "./parse-patch.ts"
import { planPatch, refused } from "./plan-patch.ts"
import { writePlan } from "./write-plan.ts"

/** Checks every hunk of every file first, and writes only then. */
export async function applyPatch(patch: string, context: CallContext) {
  bytesFrom(patch, "patch")
  const patches = read(patch)
  const workspace = await context.workspace()
  const { files, changes } = await planPatch(patches, workspace, context)
  await writePlan(files, workspace, context.signal)
  return { kind: "patch" as const, files: takeFitting(changes), file_count: changes.length }
}

function read(patch: string): readonly FilePatch[] {
  try {
    const patches = parsePatch(patch)
    if (patches.length === 0) {
      throw new PatchFault(
        'The patch changes no file: it has no lines such as "--- a/src/main.ts" and "@@ -1 +1 @@".',
      )
    }
    if (patches.length > limits.file.patchFiles) {
      throw new PatchFault(`The patch changes more than ${limits.file.patchFiles} files.`)
    }
    return patches
  } catch (error) {
    if (error instanceof PatchFault) throw refused(error.message)
    throw error
  }
}
