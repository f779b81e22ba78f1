import { diskLimits } from "../../limits.ts"
import type { DiskWatch } from "../disk/watch-disk.ts"

/**
 * What a sandbox takes of the disk, for somebody who looks at it: measured again when that was some time ago, and long
 * ago where it takes long.
 */
export function createUsedDisk(disk: Pick<DiskWatch, "measure" | "use">): () => Promise<number> {
  let dueMs = 0
  return async () => {
    const started = performance.now()
    if (started >= dueMs) {
      dueMs = started + diskLimits.shownMs
      await disk.measure()
      const ended = performance.now()
      dueMs = ended + Math.max(diskLimits.shownMs, diskLimits.shownPauses * (ended - started))
    }
    const { own, parts } = disk.use()
    return [...parts.values()].reduce((sum, bytes) => sum + bytes, own)
  }
}
