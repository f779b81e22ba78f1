import { readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { builtPackage } from "../support/built-package.ts"
import { runCommand } from "./run-command.ts"
import { makeSourceCopy, type SourceCopy } from "./source-copy.ts"

const files = (folder: string) =>
  readdirSync(join(repositoryRoot, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()
const examples = files("examples")
const frameworks = files("examples/frameworks")

let copy: SourceCopy
beforeAll(async () => {
  copy = await makeSourceCopy(builtPackage)
})
afterAll(() => copy[Symbol.asyncDispose]())

describe("the examples", () => {
  it("are there, numbered in the order in which to read them", () => {
    expect(examples.length).toBeGreaterThan(0)
    expect(frameworks.length).toBeGreaterThan(0)
    const all = [...examples, ...frameworks]
    expect(all.filter((name) => !/^\d{2}-[a-z0-9-]+\.ts$/.test(name))).toEqual([])
  })

  it("C19: 07-two-sandboxes.ts takes the document's eight steps, to a page behind its own address", async () => {
    const options = { cwd: copy.root, environment: copy.environment }
    const { exitCode, output } = await runCommand("node examples/07-two-sandboxes.ts", options)
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringMatching(/\S/) })
    const calls = output.split("\n").flatMap((line) => /^(\w+): \{/.exec(line)?.[1] ?? [])
    const create = ["sandbox_create", "sandbox_create"]
    const build = ["shell", "shell", "write_file", "transfer"]
    expect(calls).toEqual([...create, ...build, "shell", "browse"])
    expect(output).toMatch(/^<h1>Shop<\/h1>/m)
  }, 120_000)

  const runs = async (name: string) => {
    const options = { cwd: copy.root, environment: copy.environment }
    const result = await runCommand(`node examples/${name}`, options)
    expect(result).toEqual({ exitCode: 0, output: expect.stringMatching(/\S/) })
  }
  const cited = ["frameworks/11-anthropic-loop.ts", "frameworks/12-openai-loops.ts"] as const
  it.each(cited)(
    "C11.calls, C11.ids, C11.stop: %s runs every call, answers each by its id, and goes on until the model stops",
    runs,
  )

  it("X6.chunks, X6.results, X6.dispatch: 12-openrath-loop.ts writes each result back to the session's table, and its tool dispatches", async () => {
    await runs("12-openrath-loop.ts")
  })

  const withTests: readonly string[] = ["07-two-sandboxes.ts", "12-openrath-loop.ts", ...cited]
  const others = [...examples, ...frameworks.map((name) => `frameworks/${name}`)].filter(
    (name) => !withTests.includes(name),
  )
  it.each(others)("%s runs and shows something", runs)
})
