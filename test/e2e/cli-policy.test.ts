import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCli } from "./run-cli.ts"

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "toolkeep-policy-"))
})
afterAll(() => rm(directory, { recursive: true }))

/** The command line where this toolkeep.yaml is. */
async function runWith(yaml: string, ...args: readonly string[]) {
  await writeFile(join(directory, "toolkeep.yaml"), yaml)
  return runCli(args, { cwd: directory })
}

const echo = ["call", "--host", "memory", "shell.exec", '{"command": "echo hello"}'] as const
const reviewer = "agents:\n  reviewer: { deny: [shell.exec] }\n"

describe("toolkeep.yaml", () => {
  it.each([
    ["nothing in it", ""],
    ["MCP servers only", "mcpServers:\n  memory: { command: npx, args: [-y, x] }\n"],
  ])("Y6: takes no tool away with %s", async (_, yaml) => {
    const { exitCode, stdout, stderr } = await runWith(yaml, ...echo)
    expect([exitCode, stderr]).toEqual([0, ""])
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, result: { stdout: "hello\n" } })
  })

  it("Y6: coding says which option or line allows commands", async () => {
    const { exitCode, stdout } = await runWith("", ...echo, "--profile", "coding")
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "rejected",
      message: expect.stringMatching(
        / To allow it, set tools\.policy to full .* --profile full\.$/,
      ),
    })
  })

  it.each([
    [
      "a tool",
      "tools:\n  rules:\n    - deny: shel.exec\n      when: { command: x }\n",
      'toolkeep.yaml, line 3: tools.rules[0].deny is "shel.exec", which is not a tool; did you mean "shell.exec"?',
    ],
    [
      "a dialect's tool",
      "tools:\n  hooks:\n    confirm: [sandbox_write_file]\n",
      'toolkeep.yaml, line 3: tools.hooks.confirm[0] is "sandbox_write_file", a word of another vocabulary; did you mean "file.write"?',
    ],
    [
      "an argument",
      "tools:\n  rules:\n    - deny: shell.exec\n      when: { comand: x }\n",
      'toolkeep.yaml, line 4: tools.rules[0].when.comand is not an argument of shell.exec; did you mean "command"?',
    ],
  ])(
    "Y9: is refused for %s that nobody knows, with the one that was meant",
    async (_, yaml, message) => {
      expect(await runWith(yaml, ...echo)).toEqual({
        exitCode: 2,
        stdout: "",
        stderr: `toolkeep: ${message}\n`,
      })
    },
  )

  it("Y9: warns of tools that may still come, and goes on", async () => {
    const yaml = "tools:\n  hooks: { log: [mcp:tracker:close, '*_delete'] }\n"
    const { exitCode, stderr } = await runWith(yaml, ...echo)
    expect([exitCode, stderr.trim().split("\n")]).toEqual([
      0,
      [
        'toolkeep: warning: toolkeep.yaml, line 2: tools.hooks.log[0] names the MCP server "tracker", which is not under mcpServers.',
        'toolkeep: warning: toolkeep.yaml, line 2: tools.hooks.log[1] is "*_delete", which matches no tool that is known yet.',
      ],
    ])
  })

  it("Y8: is refused for an --agent that is none of its own", async () => {
    const message = 'toolkeep: the configuration has no agent "reviwer"; did you mean "reviewer"?\n'
    const refused = { exitCode: 2, stdout: "", stderr: message }
    expect(await runWith(reviewer, ...echo, "--agent", "reviwer")).toEqual(refused)
    const explain = ["policy", "explain", "shell.exec", "--host", "memory", "--agent", "reviwer"]
    expect(await runWith(reviewer, ...explain)).toEqual(refused)
    expect((await runWith(reviewer, ...echo, "--agent", "reviewer")).exitCode).toBe(1)
    expect((await runWith("", ...echo, "--agent", "anyone")).exitCode).toBe(0)
  })

  it("Y8: explains a path by the place that it leads to", async () => {
    const yaml = 'tools:\n  rules:\n    - deny: "file.*"\n      when: { path: "^\\\\.profile$" }\n'
    const explain = ["policy", "explain", "--host", "memory", "file.write"]
    const input = JSON.stringify({ path: "/home/user/docs/../.profile", content: "" })
    const { stdout } = await runWith(yaml, ...explain, input)
    expect(JSON.parse(stdout).verdict).toMatchObject({ kind: "deny", rule: { line: 3 } })
  })
})
