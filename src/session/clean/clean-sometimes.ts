import { cleanLimits } from "../../sandbox/index.ts"
import { cleanHome } from "./clean-home.ts"

/** Removes what is old a while after a server's start, and now and then. The returned function ends that. */
export function cleanSometimes(home: string): () => void {
  let timer: NodeJS.Timeout
  const later = (milliseconds: number) => {
    timer = setTimeout(() => {
      cleanHome({ home, keepSessions: true })
        // The next time, or a person who runs toolkeep clean, finds it as well.
        .catch(() => {})
        .finally(() => later(cleanLimits.everyMs))
    }, milliseconds).unref()
  }
  later(cleanLimits.firstMs)
  return () => clearTimeout(timer)
}
