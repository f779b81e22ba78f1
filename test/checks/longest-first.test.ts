import { expect, it } from "vitest"
import { repositoryFiles } from "../../scripts/repository.ts"
import { longest } from "./longest-first.ts"

it("the files that are begun first are there", async () => {
  const files = await Promise.all(
    ["src", "test"].map((folder) => repositoryFiles(folder, ".test.ts")),
  )
  expect(files.flat()).toEqual(expect.arrayContaining([...longest]))
})
