import { expect, it } from "vitest"
import { readRepositoryFile, repositoryFiles } from "../../scripts/repository.ts"
import { findResultCasts } from "./result-casts.ts"

it("no test and no example casts what a call answers", async () => {
  const files = await Promise.all([
    repositoryFiles("src", ".test.ts"),
    repositoryFiles("test", ".ts"),
    repositoryFiles("examples", ".ts"),
  ])
  const found = await Promise.all(
    files.flat().map(async (file) => findResultCasts(file, await readRepositoryFile(file))),
  )
  expect(found.flat()).toEqual([])
})

it.each([
  "const { exit_code } = (await session.call('shell.exec', input)) as { exit_code: number }",
  "const text = (envelope.result as { text: string }).text",
  "const id = (envelope as unknown as Success).result",
  "const answer = session.render(envelope) as { content: string }",
])("finds %s", (source) => {
  expect(findResultCasts("some.test.ts", source)).not.toEqual([])
})

it("leaves literal types and other casts alone", () => {
  const source =
    "const tool = envelope.result as const\nconst { port } = server.address() as AddressInfo"
  expect(findResultCasts("some.test.ts", source)).toEqual([])
})
