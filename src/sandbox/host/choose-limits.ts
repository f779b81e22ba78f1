import { availableParallelism, totalmem } from "node:os"
import { type SandboxLimits, ToolFailure } from "../../contract/index.ts"
import { sandboxLimits } from "../limits.ts"
import type { SandboxLimitsRequest } from "./host.ts"

type LimitName = keyof SandboxLimits

/** Where limits are held. */
export interface LimitingHost {
  readonly host: string
  /** What can be requested, where that is not what this machine has. */
  readonly most?: Partial<Record<LimitName, number>>
}

interface LimitRange {
  readonly least: number
  readonly most: () => number
  readonly whole: boolean
}

/** With less a sandbox does not work; more does not limit anything. */
const ranges: Readonly<Record<LimitName, LimitRange>> = {
  memoryBytes: { least: sandboxLimits.memoryBytesLeast, most: totalmem, whole: true },
  diskBytes: {
    least: sandboxLimits.diskBytesLeast,
    most: () => sandboxLimits.diskBytesMost,
    whole: true,
  },
  processes: {
    least: sandboxLimits.processesLeast,
    most: () => sandboxLimits.processesMost,
    whole: true,
  },
  processors: {
    least: sandboxLimits.processorsLeast,
    most: () => Math.max(availableParallelism(), sandboxLimits.processors),
    whole: false,
  },
}

/**
 * The limits of one sandbox: what its host gives to all, changed by what is requested. What the host can't
 * hold a sandbox to is refused, for a limit that is not enforced is worse than none.
 */
export function chooseLimits(
  { host, most = {} }: LimitingHost,
  given: SandboxLimits,
  request: SandboxLimitsRequest = {},
): SandboxLimits {
  const chosen: Record<LimitName, number | null> = { ...given }
  for (const name of Object.keys(ranges) as LimitName[]) {
    const requested = request[name]
    if (requested === undefined) continue
    if (given[name] === null) {
      throw refused(name, `The ${host} host can't hold a sandbox to a limit of ${name} here.`)
    }
    chosen[name] = checkRange(name, requested, most[name] ?? ranges[name].most())
  }
  return chosen
}

function checkRange(name: LimitName, requested: number, most: number): number {
  const { least, whole } = ranges[name]
  const isFit =
    requested >= least && requested <= most && (!whole || Number.isSafeInteger(requested))
  if (isFit) return requested
  const expected = `a ${whole ? "whole " : ""}number from ${least} to ${most}`
  throw refused(name, `${requested} can't be a sandbox's limit of ${name}.`, expected)
}

function refused(name: LimitName, message: string, expected?: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message,
    field: `limits.${name}`,
    ...(expected && { expected }),
  })
}

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
