import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { parsePolicyYaml } from "../policy/index.ts"
import { imageSources } from "./image-sources.ts"
import { openToolkeep } from "./open-toolkeep.ts"

async function place(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-sources-"))
  onTestFinished(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, "alpine.tar"), "")
  return directory
}

it("a file's images have paths from that file on, and reach the host in their order", async () => {
  const directory = await place()
  const text = 'tools: { policy: coding }\nimages:\n  "python:3.12": host\n  alpine: ./alpine.tar\n'
  const config = await parsePolicyYaml(text, join(directory, "toolkeep.yaml"))
  const images = imageSources(config)
  expect(images).toEqual({ "python:3.12": "host", alpine: join(directory, "alpine.tar") })
  await using keep = await openToolkeep({ host: "bubblewrap", policy: config, images })
  expect(await keep.host.images()).toEqual(["host", "python:3.12", "alpine"])
})

it("an image that is not there is a mistake in its line", async () => {
  const directory = await place()
  const file = join(directory, "toolkeep.yaml")
  const config = await parsePolicyYaml(
    "images:\n  alpine: alpine.tar\n  debian: debian.tar\n",
    file,
  )
  const missing = JSON.stringify(join(directory, "debian.tar"))
  expect(() => imageSources(config)).toThrow(
    `${file}, line 3: images.debian is ${missing}, which is not there.`,
  )
  expect(imageSources({})).toEqual({})
})
