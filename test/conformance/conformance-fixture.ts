import { expect } from "vitest"
import type { Host } from "../../src/sandbox/index.ts"
import { conformanceChecks, runConformance } from "../../src/testing/index.ts"

/** The checks of allow-lists, which few hosts promise. */
export const allowLists = [
  "allow-list",
  "decisions",
  "private",
  "direct",
  "change",
  "malformed",
].map((name) => `network.${name}`)

/** What the suite found: the broken promises with what was measured, and those that are not made. */
export async function measure(host: Host): Promise<{ broken: string[]; notPromised: string[] }> {
  const { checks } = await runConformance(host)
  expect(checks.map(({ id }) => id)).toEqual(conformanceChecks.map(({ id }) => id))
  return {
    broken: checks.filter(({ kept }) => kept === false).map(({ id, how }) => `${id}: ${how}`),
    notPromised: checks.filter(({ kept }) => kept === null).map(({ id }) => id),
  }
}

export function idsOf(topic: string): string[] {
  return conformanceChecks.map(({ id }) => id).filter((id) => id.startsWith(`${topic}.`))
}
