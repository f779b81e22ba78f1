import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { ToolFailure } from "../contract/index.ts"
import { isDead, ownerOf } from "./owner.ts"

/** In a sandbox's directory: whose it is, and whether it outlives who made it. */
const ownerFile = "owner"
const keptFile = "kept"

/** Says that a sandbox's directory belongs to this process; refused while another one has it. */
export function claimDirectory(directory: string): void {
  const file = join(directory, ownerFile)
  const us = ownerOf(process.pid)
  const owner = existsSync(file) ? readFileSync(file, "utf8") : us
  if (owner !== us && !isDead(owner)) throw inUse(directory, owner)
  writeFileSync(file, us)
}

export function keepDirectory(directory: string): void {
  writeFileSync(join(directory, keptFile), "")
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

function inUse(directory: string, owner: string): ToolFailure {
  const pid = owner.split(":")[2] ?? "unknown"
  return new ToolFailure({
    kind: "unavailable",
    message: `The sandbox ${basename(directory)} is in use by another Toolkeep (process ${pid}).`,
  })
}
