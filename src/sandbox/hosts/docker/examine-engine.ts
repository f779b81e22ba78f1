import { ToolFailure } from "../../../contract/index.ts"

/** What an engine says about itself and its machine. */
export interface EngineInformation {
  readonly SecurityOptions?: readonly string[]
  readonly MemoryLimit?: boolean
  readonly PidsLimit?: boolean
  readonly CpuCfsQuota?: boolean
  readonly DefaultRuntime?: string
}

/** Refuses an engine whose containers could not be what this host promises. */
export function examineEngine(engine: EngineInformation, platform: NodeJS.Platform): void {
  if (platform !== "linux") {
    throw refused("Commands are handed over through pipes that only an engine on this Linux has.")
  }
  // There a number inside is another one outside, and the home would belong to nobody inside.
  const mapped = engine.SecurityOptions?.some((option) => /^name=(rootless|userns)\b/.test(option))
  if (mapped)
    throw refused(
      "The container engine maps users to others, as rootless ones do, which is not supported; start it as root.",
    )
  const limits = {
    memory: engine.MemoryLimit,
    processes: engine.PidsLimit,
    processors: engine.CpuCfsQuota,
  }
  const missing = Object.entries(limits).filter(([, has]) => has === false)
  if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(", ")
    throw refused(`The container engine can't hold a container to limits here: ${names}.`)
  }
}

function refused(message: string): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `${message} Use another host.`,
    retryable: false,
  })
}
