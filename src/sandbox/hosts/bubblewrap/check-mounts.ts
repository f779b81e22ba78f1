import { realpathSync, statSync } from "node:fs"
import { isInside, ToolFailure } from "../../../contract/index.ts"
import type { Mount } from "../../host.ts"
import type { ImageRoot } from "./images/image-root.ts"

/** A name of its own in a directory that commands can't change. */
const targetPattern = /^\/mnt\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/

/** The mounts with links in their sources followed, so that what was checked is what is shown. */
export function checkMounts(
  mounts: readonly Mount[],
  { root, directory }: { readonly root: ImageRoot; readonly directory: string },
): readonly Mount[] {
  if (mounts.length > 0 && root.kind !== "host") {
    throw refused("Directories of this machine are shown only in sandboxes of its own programs.")
  }
  return mounts.map(({ source, target, writable }) => {
    if (!targetPattern.test(target)) {
      throw refused(`${JSON.stringify(target.slice(0, 100))} is no place like /mnt/project.`)
    }
    const found = realDirectory(source)
    const own = realpathSync(directory)
    if (isInside(found, own) || isInside(own, found)) {
      throw refused(`${found} holds Toolkeep's own files, which no sandbox may see.`)
    }
    return { source: found, target, writable }
  })
}

function realDirectory(source: string): string {
  const found = source.startsWith("/") ? statSync(source, { throwIfNoEntry: false }) : undefined
  if (found?.isDirectory()) return realpathSync(source)
  throw refused(`${JSON.stringify(source.slice(0, 200))} is no directory of this machine.`)
}

function refused(message: string): ToolFailure {
  return new ToolFailure({ kind: "rejected", message, field: "mounts" })
}
