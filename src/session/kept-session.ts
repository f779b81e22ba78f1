import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isObject } from "../contract/index.ts"
import { ownRecords } from "../sandbox/index.ts"

/** The directory of a durable session, and what hosts store of its sandboxes. */
export interface KeptSession {
  readonly path: string
  readonly keptAs: readonly string[]
  readonly snapshots: readonly string[]
}

/** Of a session that has stored nothing, nothing. */
export function readKeptSession(path: string): KeptSession {
  const saved: unknown = readJson(join(path, "sandboxes.json"))
  const { sandboxes, snapshots, checkpoints } = isObject(saved) ? saved : {}
  const words = (value: unknown) => (typeof value === "string" ? [value] : [])
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
  return {
    path,
    keptAs: ownRecords(list(sandboxes).filter(isObject)).flatMap((one) => words(one.keptAs)),
    snapshots: [...list(snapshots), ...list(checkpoints)].flatMap(words),
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return null
  }
}
