import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { defineTool, renderEnvelope, ToolFailure } from "../contract/index.ts"
import { openToolkeep } from "./open-toolkeep.ts"

const gitStatus = defineTool({
  name: "git.status",
  description: "Says what changed in a repository.",
  input: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, default: ".", description: "The repository." },
    },
    additionalProperties: false,
  },
  effects: ["read", "execute"],
  async run({ path }, context) {
    const workspace = await context.workspace()
    const options = { cwd: path, signal: context.signal }
    const { exitCode, stdout, stderr } = await workspace.exec(["git", "status", "--short"], options)
    if (exitCode === 0) return { text: stdout || "No changes" }
    throw new ToolFailure({
      kind: "execution_error",
      message: `Git status failed: ${stderr.trim()}`,
    })
  },
})

it("Y17.status, Y17.failure: the git.status example works, and says why where there is no repository", async () => {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-git-"))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  await using keep = await openToolkeep({
    host: "local",
    directory: home,
    home,
    tools: [gitStatus],
  })
  const session = keep.session()
  await session.call("shell.exec", { command: "mkdir plain; git init -q changed; touch changed/a" })
  const changed = await session.call("git.status", { path: "changed" })
  expect(renderEnvelope("flynn", changed)).toEqual({ success: true, output: "?? a\n" })
  await session.call("shell.exec", { command: "rm changed/a" })
  expect(await session.call("git.status", { path: "changed" })).toMatchObject({
    result: { text: "No changes" },
  })
  const failed = await session.call("git.status", { path: "plain" })
  expect(renderEnvelope("flynn", failed)).toEqual({
    success: false,
    output: "",
    error: expect.stringMatching(/^Git status failed: .*not a git repository/),
  })
})

it("F7: a name that sessions will need is refused", async () => {
  for (const name of ["task", "todo", "clarify", "complete", "sessions.list"]) {
    const tool = defineTool({
      name,
      description: "Another.",
      input: { type: "object", properties: {}, additionalProperties: false },
      run: () => null,
    })
    await using keep = await openToolkeep({ host: "memory", tools: [tool] })
    expect(() => keep.session()).toThrow(
      `Tool "${name}": the name is kept for a tool of sessions; choose another.`,
    )
  }
})
