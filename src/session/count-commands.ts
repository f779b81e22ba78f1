import type { FailureDetails, Tool } from "../contract/index.ts"
import { poolLimits } from "../sandbox/index.ts"

export interface CommandCount {
  /** From the first call on, the cap holds. */
  readonly start: () => void
  /** Counts a call that runs commands, and refuses it when the turn has had its share. */
  readonly admit: (tool: Tool) => FailureDetails | null
}

/** A model that runs in circles is stopped at the end of its turn, and not at the end of the day. */
export function countCommands(most: number = poolLimits.commandsPerTurn): CommandCount {
  let used: number | null = null
  return {
    start: () => {
      used = 0
    },
    admit: ({ effects }) => {
      if (used === null || !effects.includes("execute")) return null
      if (used >= most) return tooMany(most)
      used += 1
      return null
    },
  }
}

function tooMany(most: number): FailureDetails {
  return {
    kind: "rejected",
    message: `This turn has run ${most} commands, which is its cap. Go on in the next turn.`,
  }
}
