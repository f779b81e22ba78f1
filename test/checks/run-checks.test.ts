import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Checks, runChecks } from "../../scripts/checks/run-checks.ts"

async function outcomeOf(checks: Checks, onPrinted = () => {}) {
  const printed: string[] = []
  const passed = await runChecks(checks, (text) => {
    printed.push(text)
    onPrinted()
  })
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
    const directory = mkdtempSync(join(tmpdir(), "toolkeep-checks-"))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const go = join(directory, "go")
    const wait = `until [ -e '${go}' ]; do sleep 0.01; done`
    const lint = ["sh", "-c", `${wait}; echo first; sleep 0.1; echo second >&2; exit 1`]
    const outcome = await outcomeOf({ lint, types: ["true"] }, () => writeFileSync(go, ""))
    expect(outcome).toEqual({
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
