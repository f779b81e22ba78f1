import { expect, it } from "vitest"
import { configurationPage } from "../../scripts/docs/configuration-page.ts"
import { readRepositoryFile } from "../../scripts/repository.ts"

it("Y9: docs/configuration.md is what the schema of toolkeep.yaml says; npm run docs writes it", async () => {
  expect(await readRepositoryFile("docs/configuration.md")).toBe(configurationPage())
})

it("Y9: every key of toolkeep.yaml is in the reference, with what it does", () => {
  const rows = configurationPage()
    .split("\n")
    .filter((line) => line.startsWith("| `"))
  expect(rows.length).toBeGreaterThan(50)
  expect(rows.filter((row) => row.split(" | ")[3]?.trim() === "")).toEqual([])
})
