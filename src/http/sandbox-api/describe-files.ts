import { posix } from "node:path"
import { type FileType, ToolFailure, type Workspace } from "../../contract/index.ts"
import { quoteArguments } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"

/** A file as other APIs describe it. Links are not followed. */
export interface FileDescription {
  readonly path: string
  readonly type: FileType
  readonly size: number
  /** Permission bits. */
  readonly mode: number
  /** Names, as the sandbox knows them; empty where it does not say. */
  readonly owner: string
  readonly group: string
  readonly modifiedMs: number
  /** As `modifiedMs` where nobody knows. */
  readonly createdMs: number
  readonly linkTarget: string | null
}

interface Wanted {
  readonly paths: readonly string[]
  /** What is below each path down to this depth, without itself; the paths themselves when absent. */
  readonly depth?: number | undefined
  readonly signal: AbortSignal
}

const types: Readonly<Record<string, FileType>> = { f: "file", d: "directory", l: "symlink" }
const fields = "%y\\t%s\\t%m\\t%u\\t%g\\t%T@\\t%B@\\t%p\\0%l\\0"

/** One command for all of them where the sandbox has GNU's find; else one look at each. Those that are not there are left out. */
export async function describeFiles(
  workspace: Workspace,
  { paths, depth, signal }: Wanted,
): Promise<readonly FileDescription[]> {
  if (paths.length === 0) return []
  const depths = depth === undefined ? [0, 0] : [1, depth]
  const result = await workspace.exec(
    quoteArguments([
      ...["find", ...paths, "-mindepth", String(depths[0]), "-maxdepth", String(depths[1])],
      ...["-printf", fields],
    ]),
    { signal, maxOutputBytes: httpLimits.apiListingBytes },
  )
  if (result.omitted.stdout > 0) throw tooMany()
  const isKnown = result.exitCode === 0 || !/printf/.test(result.stderr)
  if (workspace.can.background && isKnown) return parseFound(result.stdout)
  return look(workspace, { paths, depth, signal })
}

function parseFound(text: string): readonly FileDescription[] {
  const parts = text.split("\0")
  const found: FileDescription[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [type = "", size, mode = "", owner = "", group = "", modified, created, ...path] = (
      parts[at] ?? ""
    ).split("\t")
    const modifiedMs = milliseconds(modified) ?? 0
    found.push({
      ...{ path: path.join("\t"), type: types[type] ?? "other", size: Number(size) },
      ...{ mode: Number.parseInt(mode, 8), owner, group, modifiedMs },
      ...{ createdMs: milliseconds(created) ?? modifiedMs, linkTarget: parts[at + 1] || null },
    })
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

function milliseconds(seconds: string | undefined): number | null {
  const value = Number(seconds || Number.NaN)
  return value > 0 ? Math.floor(value * 1000) : null
}

async function look(
  workspace: Workspace,
  { paths, depth, signal }: Wanted,
): Promise<readonly FileDescription[]> {
  const found: FileDescription[] = []
  for (const path of paths) {
    if (depth === undefined) {
      const stat = await workspace.stat(path, { signal }).catch(() => null)
      if (stat) found.push(plain(path, stat))
      continue
    }
    for (const { name, type } of await workspace.readdir(path, { signal })) {
      const inside = posix.join(path, name)
      found.push(...(await look(workspace, { paths: [inside], signal })))
      if (type === "directory" && depth > 1) {
        found.push(...(await look(workspace, { paths: [inside], depth: depth - 1, signal })))
      }
    }
  }
  return found
}

function plain(
  path: string,
  { type, size, mode, modifiedMs }: Awaited<ReturnType<Workspace["stat"]>>,
): FileDescription {
  const unknown = { owner: "", group: "", linkTarget: null }
  return { path, type, size, mode: mode & 0o7777, modifiedMs, createdMs: modifiedMs, ...unknown }
}

function tooMany(): ToolFailure {
  const message = "There are too many files for one answer. Ask for a part of them."
  return new ToolFailure({ kind: "invalid_args", message, field: "path" })
}
