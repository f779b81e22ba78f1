import { type CallLimits, DefinitionError, defaultCallLimits } from "../contract/index.ts"
import type { PolicyConfig } from "./config-schema.ts"
import { configLimits } from "./limits.ts"

/** How much a call may answer with, and how long it may take; the default where something is absent. */
export interface LimitSettings {
  /** A text for a model is cut to its head and tail at this size. */
  readonly outputBytes?: number | undefined
  /** For tools that have no timeout of their own. */
  readonly timeoutMs?: number | undefined
  /** For commands of shell.exec whose call names no timeout. They may run as long as they need when absent. */
  readonly commandTimeoutMs?: number | undefined
}

/** The limits of a configuration; none for a profile's name. */
export function limitSettings(policy: string | PolicyConfig | undefined): LimitSettings {
  if (typeof policy !== "object") return {}
  const { output_bytes, timeout_ms, command_timeout_ms } = policy.limits ?? {}
  return {
    outputBytes: output_bytes,
    timeoutMs: timeout_ms,
    commandTimeoutMs: command_timeout_ms,
  }
}

const { outputBytesLeast, outputBytesMost, timeoutMsLeast, timeoutMsMost } = configLimits
const times = [timeoutMsLeast, timeoutMsMost] as const

const ranges: Readonly<Record<keyof LimitSettings, readonly [least: number, most: number]>> = {
  outputBytes: [outputBytesLeast, outputBytesMost],
  timeoutMs: times,
  commandTimeoutMs: times,
}

/** What calls are held to. Throws a DefinitionError for a number that can't be a limit. */
export function callLimits(settings: LimitSettings): CallLimits {
  for (const name of Object.keys(ranges) as (keyof LimitSettings)[]) {
    const [least, most] = ranges[name]
    const value = settings[name]
    if (value === undefined || (Number.isSafeInteger(value) && value >= least && value <= most))
      continue
    throw new DefinitionError(
      `limits.${name} is ${value}; it must be a whole number from ${least} to ${most}.`,
    )
  }
  const { textBytes, resultBytes, timeoutMs } = defaultCallLimits
  const { outputBytes = textBytes } = settings
  return {
    textBytes: outputBytes,
    // Both streams of a command, with room to spare.
    resultBytes: Math.max(resultBytes, 4 * outputBytes),
    timeoutMs: settings.timeoutMs ?? timeoutMs,
    commandTimeoutMs: settings.commandTimeoutMs ?? null,
  }
}
