import { join } from "node:path"
import { expect, it } from "vitest"
import { serveScenarios } from "./conformance-client.ts"
import {
  butForReasons,
  everything,
  judged,
  knownScenarios,
  runConformance,
} from "./run-conformance.ts"

const relay = join(import.meta.dirname, "conformance-relay.cjs")

it("Y15: the bridge passes the conformance suite's scenarios for clients in both generations, but for those listed with a reason", async () => {
  await using here = await serveScenarios()
  // The suite starts all scenarios at once and they are run a few at a time, so each may take long.
  const client = `client --timeout 180000 --command "'${process.execPath}' '${relay}' ${here.port}"`

  /** Other tests may keep the machine busy for longer than the suite waits, so what fails is run again alone. */
  async function judge(version: string): Promise<readonly string[]> {
    const { passes, output } = await runConformance(`${client} ${everything} ${version}`)
    const failed = [...output.matchAll(/^ {2}✗ ([^\s:]+)/gm)].map(([, name = ""]) => name)
    if (!passes) expect(failed, output).not.toEqual([])
    for (const name of new Set(failed))
      await passesAlone(`${client} --scenario ${name} ${butForReasons} ${version}`)
    return judged(output)
  }

  const [scenarios, older, newer] = await Promise.all([
    knownScenarios("client"),
    // Without a version: what both generations have as the older one, and the extensions.
    judge(""),
    judge("--spec-version 2026-07-28"),
  ])
  expect(older).toEqual(scenarios.all)
  expect(newer).toEqual(scenarios.newer)
}, 600_000)

async function passesAlone(given: string): Promise<void> {
  let last = await runConformance(given)
  if (!last.passes) last = await runConformance(given)
  expect(last.passes, last.output).toBe(true)
}
