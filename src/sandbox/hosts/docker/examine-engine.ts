import { ToolFailure } from "../../../contract/index.ts"
import type { Engine } from "./engine.ts"

/** Refuses an engine whose containers could not be what this host promises. */
export async function examineEngine(engine: Engine): Promise<void> {
  if (process.platform !== "linux") {
    throw refused("Commands are handed over through pipes that only an engine on this Linux has.")
  }
  const options = await engine.security()
  // There a number inside is another one outside, and the home would belong to nobody inside.
  const mapped = options.some((option) => /^name=(rootless|userns)\b/.test(option))
  if (mapped) throw refused("The container engine maps users to others, which is not supported.")
}

function refused(message: string): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `${message} Use another host, such as bubblewrap.`,
    retryable: false,
  })
}
