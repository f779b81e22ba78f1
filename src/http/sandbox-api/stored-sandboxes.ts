import { readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { errorCode } from "../../kit/index.ts"
import { replaceFile } from "../../node/index.ts"

/** What is known of a sandbox of another API beside its session, which has the same name as it. */
export interface StoredSandbox {
  readonly id: string
  /** The API that it belongs to, such as "opensandbox". */
  readonly api: string
  /** As its creator named it; null for the host's default. */
  readonly image: string | null
  /** What all its commands have in their environment. */
  readonly env: Readonly<Record<string, string>>
  readonly metadata: Readonly<Record<string, string>>
  readonly createdMs: number
  /** When it ends by itself; null for never. */
  readonly expiresMs: number | null
  /** Whether it is paused then instead; no when absent. */
  readonly pausesAtEnd?: boolean | undefined
  readonly isPaused: boolean
  /** What only its API knows, as JSON. */
  readonly details: Readonly<Record<string, unknown>>
}

/** The files that say which sandboxes of other APIs there are: several servers of one home may use them. */
export interface StoredSandboxes {
  read(id: string): Promise<StoredSandbox | null>
  list(): Promise<readonly StoredSandbox[]>
  write(sandbox: StoredSandbox): Promise<void>
  remove(id: string): Promise<void>
}

/** Ids become file names and names of sessions. */
const idPattern = /^[a-z0-9][a-z0-9-]{0,62}$/

export function openStoredSandboxes(directory: string): StoredSandboxes {
  const fileOf = (id: string) => join(directory, `${id}.json`)
  const read = async (id: string): Promise<StoredSandbox | null> => {
    if (!idPattern.test(id)) return null
    try {
      const { version, ...sandbox } = JSON.parse(await readFile(fileOf(id), "utf8"))
      return version === 1 && sandbox.id === id ? sandbox : null
    } catch (error) {
      if (errorCode(error) === "ENOENT") return null
      throw error
    }
  }
  return {
    read,
    async list() {
      const names = await readdir(directory).catch(() => [])
      const ids = names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5))
      const found = await Promise.all(ids.map((id) => read(id).catch(() => null)))
      return found.filter((one) => one !== null)
    },
    async write(sandbox) {
      await replaceFile(fileOf(sandbox.id), `${JSON.stringify({ version: 1, ...sandbox })}\n`)
    },
    async remove(id) {
      if (idPattern.test(id)) await rm(fileOf(id), { force: true })
    },
  }
}
