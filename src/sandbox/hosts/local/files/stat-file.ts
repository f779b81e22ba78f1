import type { Stats } from "node:fs"
import type { FileStat } from "../../../../contract/index.ts"
import type { FileScope } from "./file-scope.ts"
import { findInside } from "./find-inside.ts"
import { hold } from "./hold.ts"

const permissionBits = 0o7777

export async function statFile(
  { path }: { readonly path: string },
  { root }: FileScope,
): Promise<FileStat> {
  const { stats, release } = await hold(await findInside(path, root), root, path)
  await release()
  return {
    type: typeOf(stats),
    size: stats.size,
    modifiedMs: stats.mtimeMs,
    mode: stats.mode & permissionBits,
  }
}

function typeOf(stats: Stats): FileStat["type"] {
  if (stats.isFile()) return "file"
  return stats.isDirectory() ? "directory" : "other"
}
