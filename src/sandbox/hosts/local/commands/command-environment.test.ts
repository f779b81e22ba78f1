import { afterAll, beforeAll, expect, it } from "vitest"
import { type LocalFixture, openLocal } from "../../../../../test/support/sandbox/local-fixture.ts"

let local: LocalFixture
beforeAll(async () => {
  local = await openLocal()
})
afterAll(() => local[Symbol.asyncDispose]())

it("F11.env: holds what is listed and what the caller gives, and no secret of this process", async () => {
  process.env.TOOLKEEP_TEST_SECRET = "sesame"
  const { stdout } = await local.workspace.exec(["env", "-0"], {
    env: { GIVEN: "a=b\nc", TERM: "xterm" },
  })
  delete process.env.TOOLKEEP_TEST_SECRET
  const variables = Object.fromEntries(
    stdout.split("\0").flatMap((entry) => {
      const at = entry.indexOf("=")
      return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : []
    }),
  )
  expect(variables).toEqual({
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    LANG: process.env.LANG ?? "C.UTF-8",
    TMPDIR: process.env.TMPDIR ?? "/tmp",
    TERM: "xterm",
    GIVEN: "a=b\nc",
    TOOLKEEP_SANDBOX: expect.stringMatching(/^sandbox_\w{12}:command_\w{12}$/),
  })
})

it("F18: a caller's PATH finds programs but does not hide bash", async () => {
  const { exitCode, stdout } = await local.workspace.exec('echo "$PATH"', {
    env: { PATH: "/nowhere" },
  })
  expect([exitCode, stdout]).toEqual([0, "/nowhere\n"])
  expect((await local.workspace.exec(["ls"], { env: { PATH: "/nowhere" } })).exitCode).toBe(127)
})

it("O29: the mark can't be replaced by the caller, and keeps that of an outer sandbox", async () => {
  const environment = { ...process.env, TOOLKEEP_SANDBOX: "sandbox_outer:command_outer" }
  await using inner = await openLocal({ environment })
  const { stdout } = await inner.workspace.exec("echo $TOOLKEEP_SANDBOX", {
    env: { TOOLKEEP_SANDBOX: "mine" },
  })
  expect(stdout).toMatch(/^sandbox_outer:command_outer:sandbox_\w{12}:command_\w{12}\n$/)
})

it.each([
  [{ "A=B": "c" }],
  [{ BASH_ENV: "~/file" }],
  [{ SHELLOPTS: "noexec" }],
  [{ "": "x" }],
  [{ A: "x\0y" }],
  [{ "A\0": "x" }],
])("F18: refuses the impossible variable %j", async (env) => {
  await expect(local.workspace.exec("true", { env })).rejects.toMatchObject({
    kind: "invalid_args",
    field: "env",
  })
})
