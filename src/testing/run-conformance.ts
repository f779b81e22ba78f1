import { DefinitionError } from "../contract/index.ts"
import { nearest } from "../kit/index.ts"
import type { Host } from "../sandbox/index.ts"
import { conformanceChecks } from "./conformance-checks.ts"
import { conformanceLimits } from "./limits.ts"
import type {
  ConformanceCheck,
  ConformanceReport,
  ConformanceResult,
} from "./measure/conformance-check.ts"
import { type CheckOptions, runConformanceCheck } from "./run-conformance-check.ts"

export interface ConformanceOptions extends CheckOptions {
  /** Ids ("timeouts.busy-loop") or topics ("timeouts"); every check when absent. */
  readonly only?: readonly string[] | undefined
  /** How many checks run at the same time. */
  readonly concurrency?: number | undefined
  /** Called as each check ends. */
  readonly onResult?: ((result: ConformanceResult) => void) | undefined
}

/**
 * Measures every promise of a host. In a test runner each check can be a test of its own:
 *
 * ```ts
 * for (const check of conformanceChecks) {
 *   it(check.promise, async () => {
 *     const { kept, how } = await runConformanceCheck(myHost, check)
 *     expect(kept, how).not.toBe(false)
 *   })
 * }
 * ```
 */
export async function runConformance(
  host: Host,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const chosen = options.only ? chooseChecks(options.only) : conformanceChecks
  const results = new Map<ConformanceCheck, ConformanceResult>()
  const queue = chosen.values()
  const work = async () => {
    for (const check of queue) {
      const result = await runConformanceCheck(host, check, options)
      results.set(check, result)
      options.onResult?.(result)
    }
  }
  const { concurrency = conformanceLimits.concurrency } = options
  await Promise.all(Array.from({ length: concurrency }, work))
  return { host: host.name, checks: chosen.flatMap((check) => results.get(check) ?? []) }
}

function chooseChecks(only: readonly string[]): ConformanceCheck[] {
  const named = (name: string) => (check: ConformanceCheck) =>
    check.id === name || check.id.startsWith(`${name}.`)
  for (const name of only) {
    if (!conformanceChecks.some(named(name))) throw unknownCheck(name)
  }
  return conformanceChecks.filter((check) => only.some((name) => named(name)(check)))
}

function unknownCheck(name: string): DefinitionError {
  const known = conformanceChecks.flatMap(({ id }) => [id, id.split(".")[0] ?? id])
  const meant = nearest(name, known)
  const hint = meant ? ` Did you mean ${JSON.stringify(meant)}?` : ""
  return new DefinitionError(
    `No conformance check or topic is called ${JSON.stringify(name)}.${hint}`,
  )
}
