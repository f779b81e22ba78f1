import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isObject, ownFileProblem, ToolFailure } from "../../contract/index.ts"
import { makeDirectories } from "../../node/index.ts"
import { claimDirectory, otherOwner, releaseDirectory } from "../owners/abandoned.ts"
import type { SandboxRecord } from "./named-sandbox.ts"

/** What is remembered of a pool, in a directory of this machine. */
export interface PoolRecord {
  readonly found: RememberedPool
  save(pool: RememberedPool): void
  /** Lets another process have the pool. */
  release(): void
}

export interface RememberedPool {
  readonly sandboxes: readonly SandboxRecord[]
  /** Those that go with the pool. */
  readonly snapshots: readonly string[]
  readonly checkpoints: readonly string[]
}

const format = 1

/** Takes the pool that is remembered there; one process at a time can have it. */
export function openPoolRecord(directory: string, host: string): PoolRecord {
  try {
    return claimRecord(directory, host)
  } catch (cause) {
    const problem = ownFileProblem(cause)
    if (problem === null) throw cause
    const message = `The session can't be stored in ${directory}: ${problem}`
    throw new ToolFailure({ kind: "unavailable", message }, { cause })
  }
}

function claimRecord(directory: string, host: string): PoolRecord {
  makeDirectories(directory, 0o700)
  const other = otherOwner(directory)
  if (other !== null) {
    const remedy = other.isSeen
      ? "Close that one, or use another session."
      : "If that one has ended, run `toolkeep sessions release NAME` with the name of this session."
    throw new ToolFailure({
      kind: "unavailable",
      message: `The session is in use by another Toolkeep (${other.name}). ${remedy}`,
    })
  }
  const file = join(directory, "sandboxes.json")
  // Before it is claimed: a process that can't use it must not block others.
  const found = read(file, host)
  claimDirectory(directory)
  return {
    found,
    save({ sandboxes, snapshots, checkpoints }) {
      // Whole or not at all: this process may end at any moment.
      const next = `${file}.next`
      const text = JSON.stringify({ format, host, sandboxes, snapshots, checkpoints }, null, 2)
      writeFileSync(next, text, { mode: 0o600 })
      renameSync(next, file)
    },
    release() {
      releaseDirectory(directory)
    },
  }
}

/** Nothing of the pool is left. */
export function forgetPool(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
}

function read(file: string, host: string): RememberedPool {
  const text = readText(file)
  if (text === null) return { sandboxes: [], snapshots: [], checkpoints: [] }
  const saved = parse(text, file)
  if (saved.host === host) {
    return { ...(saved as RememberedPool), sandboxes: ownRecords(saved.sandboxes) }
  }
  throw new ToolFailure({
    kind: "unavailable",
    message: `The sandboxes of this session are on the ${String(saved.host)} host, not on ${host}.`,
    retryable: false,
  })
}

/** Without those that were about to move here when their process ended: the pool that still lists them has them. */
export function ownRecords(sandboxes: readonly unknown[]): readonly SandboxRecord[] {
  return (sandboxes as readonly SandboxRecord[]).flatMap(({ movedFrom, ...record }) => {
    const isElsewhere = movedFrom !== undefined && lists(movedFrom, record)
    return isElsewhere ? [] : [record]
  })
}

function lists(directory: string, { name, keptAs }: SandboxRecord): boolean {
  const file = join(directory, "sandboxes.json")
  const text = readText(file)
  const saved = text === null ? [] : (parse(text, file).sandboxes as readonly SandboxRecord[])
  return saved.some((one) => one.name === name && one.keptAs === keptAs)
}

interface SavedPool {
  readonly host: unknown
  readonly sandboxes: readonly unknown[]
  readonly snapshots: readonly unknown[]
  readonly checkpoints: readonly unknown[]
}

function parse(text: string, file: string): SavedPool {
  let saved: unknown = null
  try {
    saved = JSON.parse(text)
  } catch {
    // Said below, with everything else that can be wrong with it.
  }
  if (isObject(saved) && saved.format === format && Array.isArray(saved.sandboxes)) {
    const { host, sandboxes } = saved
    // Records of earlier versions have none.
    const list = (value: unknown) => (Array.isArray(value) ? value : [])
    return {
      host,
      sandboxes,
      snapshots: list(saved.snapshots),
      checkpoints: list(saved.checkpoints),
    }
  }
  throw new ToolFailure({
    kind: "unavailable",
    message: `${file} does not say which sandboxes there are. Move it away to start over.`,
    retryable: false,
  })
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null
    throw error
  }
}
