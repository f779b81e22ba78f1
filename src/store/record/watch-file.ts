import { recordLimits } from "../limits.ts"
import { createWatch, type Watch } from "./watch-changes.ts"

/** `version` is another number after another process has changed the file. */
export function watchFile(version: () => number): Watch {
  /** Readers are also woken when something is wrong with the file: their next read fails with it. */
  const versionNow = () => {
    try {
      return version()
    } catch {
      return -1
    }
  }
  let seen = 0
  return createWatch({
    everyMs: recordLimits.lookMs,
    look(_, wake) {
      const now = versionNow()
      if (now === seen) return
      seen = now
      wake()
    },
  })
}
