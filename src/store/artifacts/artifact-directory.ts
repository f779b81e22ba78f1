import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createId } from "../../kit/index.ts"
import type { Artifact, Artifacts, NewArtifact } from "./artifacts.ts"

/** Beside the file itself, which may have any name but this one's directory is its own. */
const description = "artifact.json"
const contentDirectory = "content"
const idPattern = /^artifact_[A-Za-z0-9_-]+$/

/** Artifacts as files under one directory, which is made with the first of them. */
export function artifactDirectory(directory: string): Artifacts {
  async function keep({ filename, mimeType, content }: NewArtifact): Promise<Artifact> {
    if (!isPlainName(filename)) {
      throw new Error(`An artifact needs a plain name, not ${JSON.stringify(filename)}.`)
    }
    const id = createId("artifact")
    // Under another name until it is whole, so that nobody lists half of one.
    const unfinished = join(directory, `.${id}`)
    try {
      await mkdir(join(unfinished, contentDirectory), { recursive: true, mode: 0o700 })
      const path = join(unfinished, contentDirectory, filename)
      await writeFile(path, content, { mode: 0o600 })
      const { size } = await stat(path)
      const facts = { id, filename, mimeType, size, createdMs: Date.now() }
      await writeFile(join(unfinished, description), JSON.stringify(facts), { mode: 0o600 })
      await rename(unfinished, join(directory, id))
      return artifactFrom(directory, facts)
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true })
      throw error
    }
  }

  async function find(id: string): Promise<Artifact | null> {
    return (await read(id))?.artifact ?? null
  }

  async function read(id: string) {
    if (!idPattern.test(id)) return null
    try {
      const facts = JSON.parse(await readFile(join(directory, id, description), "utf8"))
      return { artifact: artifactFrom(directory, facts), createdMs: Number(facts.createdMs) }
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  async function list(): Promise<readonly Artifact[]> {
    const names = await readdir(directory).catch((error) => {
      if (isMissing(error)) return []
      throw error
    })
    const found = await Promise.all(names.map(read))
    return found
      .filter((one) => one !== null)
      .sort((a, b) => a.createdMs - b.createdMs)
      .map(({ artifact }) => artifact)
  }

  async function remove(id: string): Promise<void> {
    if (!idPattern.test(id)) return
    // Under another name first, so that nobody lists half of one.
    const removed = join(directory, `.${id}`)
    try {
      await rename(join(directory, id), removed)
    } catch (error) {
      if (isMissing(error)) return
      throw error
    }
    await rm(removed, { recursive: true, force: true })
  }

  return { keep, list, find, remove }
}

function artifactFrom(directory: string, facts: Omit<Artifact, "path">): Artifact {
  const { id, filename, mimeType, size } = facts
  const path = join(directory, id, contentDirectory, filename)
  return { id, filename, mimeType, size, path }
}

/** Without directories: what a tool forgets to check must not lead out of the directory. */
function isPlainName(filename: string): boolean {
  return !["", ".", ".."].includes(filename) && !/[/\\\0]/.test(filename)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT"
}
