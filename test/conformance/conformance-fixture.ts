import { expect } from "vitest"
import type { Host } from "../../src/sandbox/index.ts"
import {
  type ConformanceOptions,
  type ConformanceResult,
  conformanceChecks,
  runConformance,
} from "../../src/testing/index.ts"
import { canReuse, reuseSandboxes } from "./reuse-sandboxes.ts"

/** The checks of allow-lists, which few hosts promise. */
export const allowLists = [
  "allow-list",
  "decisions",
  "private",
  "direct",
  "change",
  "malformed",
].map((name) => `network.${name}`)

/** The broken promises with what was measured, and those that are not made. */
interface Findings {
  readonly broken: readonly string[]
  readonly notPromised: readonly string[]
}

/** What the whole suite finds. */
export async function measure(host: Host): Promise<Findings> {
  return findingsOf(await runPatiently(host))
}

/** The same, where to make a sandbox costs more than most checks: those that hold only files are used again. */
export async function measureReusing(
  host: Host,
  options: ConformanceOptions = {},
): Promise<Findings> {
  const { only = conformanceChecks.map(({ id }) => id) } = options
  const ids = conformanceChecks.map(({ id }) => id).filter((id) => only.includes(id))
  const others = ids.filter((id) => !canReuse(id))
  await using reused = reuseSandboxes(host)
  const results = [
    ...(await runPatiently(reused, { ...options, only: ids.filter(canReuse) })),
    ...(await runPatiently(host, { ...options, only: others })),
  ]
  const resultOf = new Map(results.map((result) => [result.id, result]))
  return findingsOf(
    ids.flatMap((id) => resultOf.get(id) ?? []),
    ids,
  )
}

function findingsOf(
  results: readonly ConformanceResult[],
  ids: readonly string[] = conformanceChecks.map(({ id }) => id),
): Findings {
  expect(results.map(({ id }) => id)).toEqual(ids)
  return {
    broken: results.filter(({ kept }) => kept === false).map(({ id, how }) => `${id}: ${how}`),
    notPromised: results.filter(({ kept }) => kept === null).map(({ id }) => id),
  }
}

/** What only a slow machine, or a slow host, answers. */
const late =
  /after \d+ ms instead of|took [\d.]+ ms|no answer within|only \d+ of \d+ were running at the same time/

/** Other tests keep the machine busy: what came late is measured again, one at a time. A slow host is late each time. */
async function runPatiently(
  host: Host,
  options: ConformanceOptions = {},
): Promise<ConformanceResult[]> {
  const checkMs = 120_000
  const results = [...(await runConformance(host, { checkMs, ...options })).checks]
  for (const [at, { id }] of results.entries()) {
    const isLate = () => results[at]?.kept === false && late.test(results[at].how)
    for (let times = 0; times < 3 && isLate(); times += 1) {
      const { checks } = await runConformance(host, { checkMs, only: [id] })
      results.splice(at, 1, ...checks)
    }
  }
  return results
}

export function idsOf(topic: string): string[] {
  return conformanceChecks.map(({ id }) => id).filter((id) => id.startsWith(`${topic}.`))
}
