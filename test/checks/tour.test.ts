import { expect, it } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { runCommand } from "./run-command.ts"

it("npm start shows the hosts and a tour of real calls within 15 seconds", async () => {
  const options = { cwd: repositoryRoot, timeoutMs: 15_000 }
  const { exitCode, output } = await runCommand("npm start", options)
  expect(exitCode, output).toBe(0)
  const shown = [
    /^1\. .*\n\$ npm run -s toolkeep -- doctor\n.*"memory"/ms,
    /^2\. .*\n\$ .*\n.*"stdout":\s?"HELLO\\n"/m,
    /^3\. .*\n\$ .*\n.*"timeout_ms: text \\"2000\\" read as 2000"/m,
    /^4\. .*\n\$ .*\n.*"ok":\s?false.*outside the workspace/m,
    /^5\. .*\n\$ .*\n.*"exit_code":\s?124/m,
    /^6\. .*\n\$ .*\n.*"kind":\s?"rejected"/m,
    /^What next\n(.+\n){3}$/m,
  ]
  for (const pattern of shown) expect(output).toMatch(pattern)
})
