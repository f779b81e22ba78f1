import { describe, expect, it } from "vitest"
import { type Checks, runChecks } from "../../scripts/checks/run-checks.ts"

async function outcomeOf(checks: Checks) {
  const printed: string[] = []
  const passed = await runChecks(checks, (text) => printed.push(text))
  return { passed, printed: printed.map((text) => text.replace(/\d+\.\d s/, "0.0 s")) }
}

describe("npm run check", () => {
  it("passes with a line for each check and no other output", async () => {
    expect(await outcomeOf({ types: ["echo", "noise"] })).toEqual({
      passed: true,
      printed: ["ok     types (0.0 s)"],
    })
  })

  it("fails when one check fails, and shows what that one said", async () => {
    const lint = ["sh", "-c", "sleep 0.3; echo first; echo second >&2; exit 1"]
    expect(await outcomeOf({ lint, types: ["true"] })).toEqual({
      passed: false,
      printed: ["ok     types (0.0 s)", "FAILED lint (0.0 s)", "first\nsecond"],
    })
  })

  it("fails when a check can't be started", async () => {
    expect(await outcomeOf({ lint: ["no-such-program"] })).toEqual({
      passed: false,
      printed: ["FAILED lint (0.0 s)", "spawn no-such-program ENOENT"],
    })
  })

  it("runs this repository's Node", async () => {
    const command = ["node", "-e", "process.exit(process.versions.node.startsWith('24.') ? 0 : 1)"]
    expect((await outcomeOf({ node: command })).passed).toBe(true)
  })
})
