import { expect, it } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { runCommand } from "./run-command.ts"

it("npm start shows the hosts and a tour of real calls within 15 seconds", async () => {
  const options = { cwd: repositoryRoot, timeoutMs: 15_000 }
  const result = await runCommand("npm start", options)
  expect(result).toEqual({ exitCode: 0, output: expect.stringContaining("What next") })
})
