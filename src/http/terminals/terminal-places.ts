import { ToolFailure } from "../../contract/index.ts"
import { httpLimits } from "../limits.ts"

/** Counts the terminals that are open. */
export interface TerminalPlaces {
  /** Refuses one more than there may be. */
  require(): void
  /** Counts one, until the function is called for the first time that it returns. */
  take(): () => void
}

export function createTerminalPlaces(): TerminalPlaces {
  let open = 0
  const places: TerminalPlaces = {
    require() {
      if (open < httpLimits.terminals) return
      const message = `${httpLimits.terminals} terminals are open. Close one first.`
      throw new ToolFailure({ kind: "unavailable", message })
    },
    take() {
      places.require()
      open += 1
      let isOpen = true
      return () => {
        if (isOpen) open -= 1
        isOpen = false
      }
    },
  }
  return places
}
