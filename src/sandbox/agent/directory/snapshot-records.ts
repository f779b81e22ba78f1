import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { basename, join } from "node:path"
import { createId } from "../../../kit/index.ts"
import { isDead, makeDirectories, ownerOf } from "../../../node/index.ts"
import { unknownSnapshot } from "../../host/unsupported.ts"
import { claimDirectory } from "../../owners/abandoned.ts"
import { touch } from "../../owners/shared-directory.ts"

/** In a sandbox's directory: the temporary directory's files, while it sleeps. */
export const temporaryName = "temporary.tar"

/** A directory for each snapshot: which layers it holds, and the temporary directory's files. */
const recordsName = "snapshots"
const layersName = "layers"
/** The directory of the sandbox that it was taken from, which its files count for. */
const sourceName = "of"
/** One that is being made or removed: whose work it is stands in its name, where no moment is without it. */
const unfinished = ".part"

const idPattern = /^snapshot_[0-9a-z]{12}$/

function recordsIn(shared: string): string {
  return join(shared, recordsName)
}

function unfinishedName(id: string): string {
  return `${id}.${ownerOf(process.pid)}${unfinished}`
}

function isUnfinished(name: string): boolean {
  return name.endsWith(unfinished)
}

/** What a process that was killed was making or removing. */
export function abandonedRecords(shared: string): readonly string[] {
  const records = recordsIn(shared)
  if (!existsSync(records)) return []
  const left = readdirSync(records).filter(isUnfinished)
  const isAbandoned = (name: string) =>
    isDead(name.slice(name.indexOf(".") + 1, -unfinished.length))
  return left.filter(isAbandoned).map((name) => join(records, name))
}

/** What a record holds of a sandbox. */
export interface HeldFiles {
  readonly layers: readonly string[]
  /** Those of a sandbox that sleeps are in a file. */
  readonly temporary: "shared" | "none"
}

/** Of the sandbox in this directory. It is there as a whole or not at all. */
export function writeRecord(shared: string, own: string, { layers, temporary }: HeldFiles): string {
  const id = createId("snapshot")
  const part = join(recordsIn(shared), unfinishedName(id))
  makeDirectories(part, 0o700)
  const names = layers.map((layer) => basename(layer))
  writeFileSync(join(part, layersName), JSON.stringify(names), { mode: 0o600 })
  writeFileSync(join(part, sourceName), basename(own), { mode: 0o600 })
  claimDirectory(part)
  if (temporary === "shared") shareTemporary(own, part)
  renameSync(part, join(recordsIn(shared), id))
  return id
}

/** The layers of a snapshot; refused with the names of some that there are. */
export function readRecord(shared: string, id: string): readonly string[] {
  const file = join(recordsIn(shared), id, layersName)
  if (!idPattern.test(id) || !existsSync(file)) throw unknownSnapshot(id, recordNames(shared))
  return JSON.parse(readFileSync(file, "utf8")) as string[]
}

export function removeRecord(shared: string, id: string): void {
  readRecord(shared, id)
  const part = join(recordsIn(shared), unfinishedName(id))
  renameSync(join(recordsIn(shared), id), part)
  rmSync(part, { recursive: true })
}

/** The name of the sandbox's directory that a snapshot is of; empty for one of an earlier version. */
export function sourceOf(shared: string, id: string): string {
  const file = join(recordsIn(shared), id, sourceName)
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}

export function recordPath(shared: string, id: string): string {
  return join(recordsIn(shared), id)
}

/** Gives a new sandbox what the snapshot has of the temporary directory. */
export function takeTemporary(shared: string, id: string, own: string): void {
  const record = recordPath(shared, id)
  shareTemporary(record, own)
  touch(record)
}

/** That file is never changed, only replaced and removed: two names for it are as good as a copy. */
function shareTemporary(from: string, to: string): void {
  const [source, target] = [join(from, temporaryName), join(to, temporaryName)]
  rmSync(target, { force: true })
  if (existsSync(source)) linkSync(source, target)
}

export function recordNames(shared: string): readonly string[] {
  const records = recordsIn(shared)
  if (!existsSync(records)) return []
  return readdirSync(records).filter((name) => !isUnfinished(name))
}
