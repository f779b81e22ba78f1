import { expect, it } from "vitest"
import { askingTools, conformanceTools } from "./conformance-tools.ts"
import { type McpFixtureOptions, openHttpGround } from "./http-ground.ts"
import { everything, judged, knownScenarios, runConformance } from "./run-conformance.ts"
import { withToken } from "./with-token.ts"

/** What the suite says about Toolkeep's server, which it reaches without a token. */
async function judge(given: string, options: McpFixtureOptions = {}): Promise<string> {
  await using ground = await openHttpGround({
    tools: conformanceTools,
    persistAnswers: true,
    policy: { tools: { policy: "full", hooks: { confirm: askingTools } } },
    ...options,
  })
  await using proxy = await withToken(ground.url, ground.token)
  const { passes, output } = await runConformance(`server --url ${proxy.url} ${given}`)
  expect(passes, output).toBe(true)
  return output
}

it("the server passes the conformance suite in both generations, but for what is listed with its reason", async () => {
  const [scenarios, older, newer] = await Promise.all([
    knownScenarios("server"),
    // Without a version: what both generations have as the older one, and the extensions.
    judge(everything),
    judge(`${everything} --spec-version 2026-07-28`),
    judge("--scenario input-required-result-basic-list-roots", { mountRoots: "read" }),
  ])
  expect(judged(older)).toEqual(scenarios.all)
  expect(judged(newer)).toEqual(scenarios.newer)
  for (const scenario of [
    "tools-call-image",
    "tools-call-elicitation",
    "dns-rebinding-protection",
  ]) {
    expect(older).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
  }
  expect(newer).toMatch(/✓ input-required-result-tampered-state: [1-9]\d* passed, 0 failed/)
}, 300_000)
