import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { placeProfile } from "./podman-engine.ts"

it("C18: a filter that was changed in its file is put right before it is used again", async () => {
  const base = await mkdtemp(join(tmpdir(), "toolkeep-profile-"))
  onTestFinished(() => rm(base, { recursive: true }))
  const directory = join(base, "seccomp")
  const path = placeProfile(directory, "filter")
  expect(await readFile(path, "utf8")).toBe("filter")
  await writeFile(path, "no filter")
  await chmod(directory, 0o777)
  expect(placeProfile(directory, "filter")).toBe(path)
  expect(await readFile(path, "utf8")).toBe("filter")
  expect((await stat(directory)).mode & 0o777).toBe(0o755)
  expect(placeProfile(directory, "another")).not.toBe(path)
  expect(await readdir(directory)).toHaveLength(2)
})
