import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { runCli } from "./run-cli.ts"

const house = `
dialect: house
tools:
  run:
    tool: shell.exec
    description: Runs a command.
    arguments: { cmd: { as: command, required: true } }
    result: { out: stdout }
`

it("C2: toolkeep call --dialect answers in that document's form", async () => {
  const args = ["call", "--dialect", "cloudflare", "shell", '{"command":"echo hi; exit 3"}']
  const { exitCode, stdout } = await runCli(args)
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    content: '{"stdout":"hi\\n","stderr":"","exit_code":3}',
    isError: true,
  })
})

it("O31: in the words of cloudflare, a pipe that was read no further is no error", async () => {
  const args = ["call", "--dialect", "cloudflare", "shell", '{"command":"yes | head -n 1"}']
  const { exitCode, stdout } = await runCli(args)
  const { content, ...rest } = JSON.parse(stdout)
  expect([exitCode, rest]).toEqual([0, {}])
  expect(JSON.parse(content)).toMatchObject({ stdout: "y\n", exit_code: 141 })
})

it("R5.lines, R5.length: openrath's shell takes one line of at most 2048 characters", async () => {
  const lines = [`echo a\necho b`, `echo ${"x".repeat(2044)}`, `echo ${"x".repeat(2043)}`].map(
    (command, id) => JSON.stringify({ id, tool: "run_shell_command", input: { command } }),
  )
  const args = ["call", "--batch", "--dialect", "openrath", "--host", "memory"]
  const { stdout } = await runCli(args, { stdin: lines.join("\n") })
  const answers = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(JSON.parse(line).answer))
  expect(answers).toMatchObject([
    { ok: false, error_kind: "tool_execution_exception", detail: { field: "command" } },
    { ok: false, error_kind: "tool_execution_exception", detail: { field: "command" } },
    { exit_code: 0, stderr: "", elapsed_ms: expect.any(Number) },
  ])
})

it("toolkeep tools --dialect lists that vocabulary, also one of toolkeep.yaml", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "toolkeep-dialect-"))
  onTestFinished(() => rm(cwd, { recursive: true }))
  await writeFile(join(cwd, "house.yaml"), house)
  await writeFile(join(cwd, "toolkeep.yaml"), "tools: { policy: full }\ndialects: [house.yaml]\n")
  const listed = await runCli(["tools", "--dialect", "house"], { cwd })
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { name: "run", description: expect.stringMatching(/^Runs a command\. /) },
  ])
  const called = await runCli(["call", "--dialect", "./house.yaml", "run", '{"cmd":"echo hi"}'], {
    cwd,
  })
  expect(JSON.parse(called.stdout)).toEqual({ ok: true, tool: "run", result: { out: "hi\n" } })
  const unknown = await runCli(["tools", "--dialect", "hous"], { cwd })
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('there is no dialect "hous"; did you mean "house"?'),
  ])
  await writeFile(join(cwd, "house.yaml"), house.replace("shell.exec", "shell.run"))
  const wrong = await runCli(["tools", "--dialect", "house"], { cwd })
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('tools.run.tool is "shell.run", which is not a canonical tool'),
  ])
})
