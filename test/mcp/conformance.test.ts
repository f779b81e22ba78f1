import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { runCommand } from "../checks/run-command.ts"
import { conformanceTools } from "./conformance-tools.ts"
import { openHttpGround } from "./http-ground.ts"
import { withToken } from "./with-token.ts"

it("the server passes the conformance suite, but for what is listed with its reason", async () => {
  await using ground = await openHttpGround({
    tools: conformanceTools,
    keepCalls: true,
    policy: { tools: { policy: "full", hooks: { confirm: ["test_elicitation"] } } },
  })
  // The suite sends no token.
  await using proxy = await withToken(ground.url, ground.token)
  const cwd = await mkdtemp(join(tmpdir(), "toolkeep-conformance-"))
  onTestFinished(() => rm(cwd, { recursive: true }))
  const suite = join(repositoryRoot, "node_modules/.bin/conformance")
  const baseline = join(repositoryRoot, "test/mcp/conformance-baseline.yaml")
  const { exitCode, output } = await runCommand(
    `'${suite}' server --url ${proxy.url} --suite all --expected-failures '${baseline}'`,
    { cwd, timeoutMs: 25_000 },
  )
  expect(exitCode, output).toBe(0)
  for (const scenario of [
    "tools-call-image",
    "tools-call-elicitation",
    "dns-rebinding-protection",
  ]) {
    expect(output).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
  }
})
