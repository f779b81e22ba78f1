import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { release } from "node:os"
import { dirname, join, resolve } from "node:path"
import { findProgram } from "../../../node/index.ts"
import type { HostStatus } from "../../host/host.ts"
import { makeWalkable } from "../../owners/shared-directory.ts"

type Problem = Extract<HostStatus, { kind: "unavailable" }>

/** What is missing, as far as can be told without trying. */
export function examineMachine(path: string, directory: string): Problem | null {
  if (process.platform !== "linux") {
    return problem("Namespaces are a part of Linux.", "Use another host on this system.")
  }
  if (process.arch !== "x64" && process.arch !== "arm64") {
    return problem(`There is no seccomp filter for ${process.arch}.`, "Use another host.")
  }
  for (const [program, source] of programs) {
    if (findProgram(program, path) === null) {
      return problem(
        `There is no ${program} in PATH.`,
        `Install ${source} (apt-get install ${source}).`,
      )
    }
  }
  const closed = process.getuid?.() === 0 ? closedParent(directory) : null
  return closed === null
    ? null
    : problem(
        `Sandboxes run as users of their own, and those can't walk through ${closed}.`,
        `Set TOOLKEEP_HOME to another place, or allow it: chmod o+x ${closed}.`,
      )
}

/** What a sandbox is made with, and the package that has it. */
const programs = [
  ["bwrap", "bubblewrap"],
  ["bash", "bash"],
  ["mkfifo", "coreutils"],
] as const

function problem(reason: string, remedy: string): Problem {
  return { kind: "unavailable", reason, remedy }
}

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

/** The first directory above, or itself, that others may not pass through; null when there is none. */
export function closedParent(directory: string): string | null {
  const parents: string[] = []
  for (let path = resolve(directory); path !== "/"; path = dirname(path)) parents.unshift(path)
  return parents.find((path) => existsSync(path) && (statSync(path).mode & 0o001) === 0) ?? null
}
