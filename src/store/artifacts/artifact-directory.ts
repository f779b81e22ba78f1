import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ToolFailure } from "../../contract/index.ts"
import { createId, errorCode } from "../../kit/index.ts"
import { makeDirectories } from "../../node/index.ts"
import { storeLimits } from "../limits.ts"

/** A file that was made for a person: it outlives the sandbox it came from. */
export interface Artifact {
  readonly id: string
  /** A plain name, without directories. */
  readonly filename: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** Where it is on this machine. */
  readonly path: string
}

interface NewArtifact {
  readonly filename: string
  readonly mimeType: string
  readonly content: Uint8Array | AsyncIterable<Uint8Array>
}

/** The files that one session made for a person. */
export interface Artifacts {
  /** All of it or nothing: one that is cut off half-way leaves no trace. */
  keep(file: NewArtifact): Promise<Artifact>
  /** The oldest first. */
  list(): Promise<readonly Artifact[]>
  /** Null for an id that was never given. */
  find(id: string): Promise<Artifact | null>
  /** Does nothing for an id that does not exist. */
  remove(id: string): Promise<void>
}

/** Beside the file itself, which may have any name but this one's directory is its own. */
const description = "artifact.json"
const contentDirectory = "content"
const idPattern = /^artifact_[A-Za-z0-9_-]+$/

/** What a session's total leaves for artifacts, in bytes; it takes no notice of those that are being made. */
export interface ArtifactRoom {
  left(): { readonly bytes: number; readonly reason: string }
  /** Refuses when nothing is left. */
  requireRoom(): Promise<void>
}

export interface ArtifactDirectory extends Artifacts {
  /** What all of them take, as far as is known; those as well that are being made. */
  bytes(): number
}

/** Artifacts as files under one directory, which is made with the first of them. */
export function artifactDirectory(directory: string, room?: ArtifactRoom): ArtifactDirectory {
  let bytes = 0
  let counted: Promise<void> | null = null
  /** What an earlier process has left, once. */
  const count = () => {
    counted ??= list().then(
      (all) => {
        bytes += all.reduce((sum, { size }) => sum + size + storeLimits.artifactBytes, 0)
      },
      () => {},
    )
    return counted
  }

  /** Takes of the total while it passes. */
  async function* metered(content: NewArtifact["content"], taken: (more: number) => void) {
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      taken(chunk.length)
      const { bytes: left = 0, reason = "" } = room?.left() ?? {}
      if (left < 0) throw new ToolFailure({ kind: "rejected", message: reason, retryable: false })
      yield chunk
    }
  }

  async function keep(file: NewArtifact): Promise<Artifact> {
    await count()
    await room?.requireRoom()
    let took: number = storeLimits.artifactBytes
    bytes += took
    const taken = (more: number) => {
      took += more
      bytes += more
    }
    try {
      return await write({ ...file, content: metered(file.content, taken) })
    } catch (error) {
      bytes -= took
      throw error
    }
  }

  async function write({ filename, mimeType, content }: NewArtifact): Promise<Artifact> {
    if (!isPlainName(filename)) {
      throw new Error(`An artifact needs a plain name, not ${JSON.stringify(filename)}.`)
    }
    const id = createId("artifact")
    // Under another name until it is whole, so that nobody lists half of one.
    const unfinished = join(directory, `.${id}`)
    try {
      makeDirectories(join(unfinished, contentDirectory), 0o700)
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
      if (errorCode(error) === "ENOENT") return null
      throw error
    }
  }

  async function list(): Promise<readonly Artifact[]> {
    const names = await readdir(directory).catch((error) => {
      if (errorCode(error) === "ENOENT") return []
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
    await count()
    const size = (await find(id))?.size ?? 0
    // Under another name first, so that nobody lists half of one.
    const removed = join(directory, `.${id}`)
    try {
      await rename(join(directory, id), removed)
    } catch (error) {
      if (errorCode(error) === "ENOENT") return
      throw error
    }
    bytes -= size + storeLimits.artifactBytes
    await rm(removed, { recursive: true, force: true })
  }

  const knownBytes = () => {
    count()
    return bytes
  }
  return { keep, list, find, remove, bytes: knownBytes }
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
