import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describeOwner, isDead, makeDirectories, ownerOf } from "../../node/index.ts"

/** In a sandbox's directory: its owner, and whether it outlives the process that made it. */
const ownerFile = "owner"
const keptFile = "kept"

/** Says that a directory belongs to this process. */
export function claimDirectory(directory: string): void {
  writeFileSync(join(directory, ownerFile), ownerOf(process.pid), { mode: 0o600 })
}

/** Another process that has the directory and still runs, as far as can be known; null when there is none. */
export function otherOwner(directory: string): ReturnType<typeof describeOwner> | null {
  const file = join(directory, ownerFile)
  if (!existsSync(file)) return null
  const owner = readFileSync(file, "utf8")
  return owner === ownerOf(process.pid) || isDead(owner) ? null : describeOwner(owner)
}

export function releaseDirectory(directory: string): void {
  rmSync(join(directory, ownerFile), { force: true })
}

export function keepDirectory(directory: string): void {
  writeFileSync(join(directory, keptFile), "", { mode: 0o600 })
}

const living = "living-"

/** Says that this process uses what all sandboxes of a directory share, also while it has no sandbox. */
export function claimShared(shared: string): void {
  makeDirectories(shared, 0o755)
  writeFileSync(join(shared, `${living}${process.pid}`), ownerOf(process.pid), { mode: 0o600 })
}

/** Whether a living process does; what ended ones have said goes. */
export function isSharedInUse(shared: string): boolean {
  if (!existsSync(shared)) return false
  const files = readdirSync(shared).filter((name) => name.startsWith(living))
  return files.some((name) => {
    const file = join(shared, name)
    const isOver = isDead(readFileSync(file, "utf8"))
    if (isOver) rmSync(file, { force: true })
    return !isOver
  })
}

export interface Abandoned {
  readonly directory: string
  /** Its files are to be found again; only what a running sandbox needs can go. */
  readonly isKept: boolean
}

/** The directories of sandboxes whose Toolkeep died without removing them. */
export function abandonedIn(directory: string): readonly Abandoned[] {
  return readdirSync(directory)
    .map((name) => join(directory, name))
    .filter(isAbandoned)
    .map((path) => ({ directory: path, isKept: existsSync(join(path, keptFile)) }))
}

function isAbandoned(directory: string): boolean {
  try {
    return isDead(readFileSync(join(directory, ownerFile), "utf8"))
  } catch {
    return false
  }
}
