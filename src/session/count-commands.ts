import { limits, ToolFailure } from "../contract/index.ts"

export interface CommandCount {
  /** From the first call on, the cap holds. */
  readonly start: () => void
  /** Throws when the turn has had its commands. */
  readonly count: () => void
}

/** A model that runs in circles is stopped at the end of its turn, and not at the end of the day. */
export function countCommands(most: number = limits.pool.commandsPerTurn): CommandCount {
  let used: number | null = null
  return {
    start: () => {
      used = 0
    },
    count: () => {
      if (used === null) return
      if (used >= most) throw tooMany(most)
      used += 1
    },
  }
}

function tooMany(most: number): ToolFailure {
  return new ToolFailure({
    kind: "rejected",
    message: `This turn has run ${most} commands, which is its cap. Go on in the next turn.`,
  })
}
