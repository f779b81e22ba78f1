import type { SandboxLimits } from "../../contract/index.ts"
import { sandboxLimits } from "../limits.ts"

/** What a sandbox's processes are held to, as numbers throughout. */
export interface HeldLimits {
  readonly memoryBytes: number
  readonly processes: number
  readonly processors: number
}

/** Where nothing is promised, the default numbers are still requested. */
export function heldLimits({ memoryBytes, processes, processors }: SandboxLimits): HeldLimits {
  const defaults = sandboxLimits
  return {
    memoryBytes: memoryBytes ?? defaults.memoryBytes,
    processes: processes ?? defaults.processes,
    processors: processors ?? defaults.processors,
  }
}

/** A full temporary directory counts as memory, of which it must leave enough for commands. */
export function temporaryBytesOf(memoryBytes: number): number {
  return Math.min(sandboxLimits.temporaryBytes, Math.floor(memoryBytes / 4))
}
