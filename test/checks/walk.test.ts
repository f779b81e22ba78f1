import { expect, it } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { runCommand } from "./run-command.ts"

it("passes few enough source files in a warm shell.exec, in the order of the call", async () => {
  const { exitCode, output } = await runCommand("node scripts/walk.ts shell.exec", {
    cwd: repositoryRoot,
  })
  expect(output).toMatch(/\d+ files of src take part in a warm shell\.exec on bubblewrap/)
  expect(exitCode, output).toBe(0)
  const files = output.split("\n").map((line) => line.split(" ")[0])
  const stations = [
    "src/session/create-session.ts",
    "src/runtime/run-call.ts",
    "src/tools/shell/exec-tool.ts",
    "src/sandbox/workspace/create-workspace.ts",
    "src/sandbox/agent/commands/run-command.ts",
  ]
  const places = stations.map((file) => files.indexOf(file))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((one, other) => one - other))
})
