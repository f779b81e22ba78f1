import { limits } from "../contract/index.ts"
import type { Terminal } from "./terminal.ts"

/** Errors that escaped, as one line each for the person who runs the program. */
export function faultLog(terminal: Terminal) {
  return {
    log: (sentence: string) => {
      const line = sentence.replaceAll(/\s+/g, " ").slice(0, limits.faults.characters)
      terminal.note(`toolkeep: ${line}\n`)
    },
    mostPerSecond: limits.faults.perSecond,
  }
}
