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

  it.each(examples)("%s runs and shows something", async (name) => {
    const options = { cwd: copy.root, environment: copy.environment }
    const result = await runCommand(`node examples/${name}`, options)
    expect(result).toEqual({ exitCode: 0, output: expect.stringMatching(/\S/) })
  })
})
