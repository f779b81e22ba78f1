import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { artifactDirectory } from "./artifact-directory.ts"

async function place(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-artifacts-"))
  onTestFinished(() => rm(directory, { recursive: true }))
  return join(directory, "not", "there", "yet")
}

const text = (content: string) => new TextEncoder().encode(content)

it("O22: artifacts are kept as files, listed in their order and found by their id", async () => {
  const directory = await place()
  const artifacts = artifactDirectory(directory)
  expect(await artifacts.list()).toEqual([])
  const first = await artifacts.keep({
    filename: "a.txt",
    mimeType: "text/plain",
    content: text("one"),
  })
  async function* pieces() {
    yield text("tw")
    yield text("o")
  }
  const second = await artifacts.keep({
    filename: "artifact.json",
    mimeType: "application/json",
    content: pieces(),
  })
  expect(first).toMatchObject({ filename: "a.txt", mimeType: "text/plain", size: 3 })
  expect(await readFile(first.path, "utf8")).toBe("one")
  expect(await readFile(second.path, "utf8")).toBe("two")
  const again = artifactDirectory(directory)
  expect((await again.list()).map(({ id }) => id).sort()).toEqual([first.id, second.id].sort())
  expect(await again.find(first.id)).toEqual(first)
  expect(await again.find("artifact_never")).toBeNull()
  expect(await again.find("../../etc")).toBeNull()
})

it("O23: a name that leads elsewhere is no name, whoever forgot to check it", async () => {
  const artifacts = artifactDirectory(await place())
  for (const filename of ["", ".", "..", "../a", "a/b", "a\\b", "a\0"]) {
    const kept = artifacts.keep({ filename, mimeType: "text/plain", content: text("x") })
    await expect(kept).rejects.toThrow("An artifact needs a plain name")
  }
  expect(await artifacts.list()).toEqual([])
})

it("an artifact that is cut off half-way leaves no trace", async () => {
  const directory = await place()
  const artifacts = artifactDirectory(directory)
  async function* broken() {
    yield text("half")
    throw new Error("the sandbox is gone")
  }
  const kept = artifacts.keep({ filename: "a", mimeType: "text/plain", content: broken() })
  await expect(kept).rejects.toThrow("the sandbox is gone")
  expect(await readdir(directory)).toEqual([])
})
