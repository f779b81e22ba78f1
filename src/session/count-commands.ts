import type { AdmitCall } from "../runtime/index.ts"
import { poolLimits } from "../sandbox/index.ts"

/** Refuses calls that run commands once a turn has had its share: a model that runs in circles is stopped. */
export function countCommands(most: number = poolLimits.commandsPerTurn): AdmitCall {
  let used = 0
  return ({ effects }) => {
    if (!effects.includes("execute")) return null
    used += 1
    if (used <= most) return null
    return {
      kind: "rejected",
      message: `This turn has run ${most} commands, which is its cap. Go on in the next turn.`,
    }
  }
}
