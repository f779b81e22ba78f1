import { readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { runCommand } from "./run-command.ts"
import { makeSourceCopy, type SourceCopy } from "./source-copy.ts"

const examples = readdirSync(join(repositoryRoot, "examples")).sort()

let copy: SourceCopy
beforeAll(async () => {
  copy = await makeSourceCopy()
})
afterAll(() => copy[Symbol.asyncDispose]())

describe("the examples", () => {
  it("are there, numbered in the order in which to read them", () => {
    expect(examples.length).toBeGreaterThan(0)
    expect(examples.filter((name) => !/^\d{2}-[a-z0-9-]+\.ts$/.test(name))).toEqual([])
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

  const others = examples.filter((name) => name !== "07-two-sandboxes.ts")
  it.each(others)("%s runs and shows something", async (name) => {
    const options = { cwd: copy.root, environment: copy.environment }
    const result = await runCommand(`node examples/${name}`, options)
    expect(result).toEqual({ exitCode: 0, output: expect.stringMatching(/\S/) })
  })
})
