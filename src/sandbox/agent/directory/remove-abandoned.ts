import { rmSync } from "node:fs"
import { join } from "node:path"
import { abandonedIn } from "../../owners/abandoned.ts"
import { removeTree } from "./remove-tree.ts"
import { type RemoveTree, removeUnusedLayers } from "./remove-unused-layers.ts"

/** Where commands and output are handed over, in a sandbox's directory. */
export const exchangeName = "exchange"

/** Removes what dead Toolkeeps have left, except for persisted files. Returns the directories it saw. */
export async function removeAbandoned(
  directory: string,
  remove: RemoveTree = removeTree,
): Promise<readonly string[]> {
  const abandoned = abandonedIn(directory)
  for (const { directory: path, isKept } of abandoned) {
    if (isKept) rmSync(join(path, exchangeName), { recursive: true, force: true })
    else await remove(path)
  }
  await removeUnusedLayers(directory, remove)
  return abandoned.map(({ directory: path }) => path)
}
