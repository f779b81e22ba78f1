import { readFileSync, statSync, writeFileSync } from "node:fs"
import { release } from "node:os"
import { join } from "node:path"
import { findProgram } from "../../../node/index.ts"
import type { HostStatus } from "../../host/host.ts"
import { makeWalkable } from "../../owners/walkable-directory.ts"

/** A trial costs as much as a sandbox, so one that went well is not repeated on the same system. */
export async function rememberSuccess(
  directory: string,
  path: string,
  attempt: () => Promise<HostStatus>,
): Promise<HostStatus> {
  if (isRemembered(directory, "works", path)) return { kind: "ready" }
  const status = await attempt()
  if (status.kind === "ready") remember(directory, "works", path)
  return status
}

export function isRemembered(directory: string, name: string, path: string): boolean {
  return read(join(directory, name)) === describeSystem(path)
}

export function remember(directory: string, name: string, path: string): void {
  makeWalkable(directory)
  writeFileSync(join(directory, name), describeSystem(path), { mode: 0o600 })
}

/** What a trial depends on: another kernel, bwrap or user is another system. */
function describeSystem(path: string): string {
  const bwrap = findProgram("bwrap", path) ?? ""
  const changed = bwrap === "" ? 0 : statSync(bwrap).mtimeMs
  return JSON.stringify([release(), bwrap, changed, process.getuid?.()])
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return null
  }
}
