import type { CallContext, DirectoryEntry, Workspace } from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { invalidArgument } from "../../arguments.ts"
import { expandBraces, parseGlob } from "./glob/glob-pattern.ts"
import { requireGlob } from "./search-scope.ts"

export interface GlobExpansion {
  readonly pattern: string
  /** The directory that the pattern starts in, absolute. */
  readonly directory: string
  readonly limit: number
}

/**
 * The files and directories that bash would put in the place of a pattern (with globstar), relative to the
 * directory and sorted. Looked up with the workspace's own listings, so it is the same on every host.
 */
export async function expandGlob(
  workspace: Workspace,
  { pattern, directory, limit }: GlobExpansion,
  context: CallContext,
): Promise<readonly string[]> {
  requireGlob({ pattern, field: "pattern", directory, hidden: false })
  const start = pattern.startsWith(`${directory}/`) ? `${directory}/` : ""
  const inside = pattern.slice(start.length)
  if (inside.startsWith("/")) throw outside(pattern)
  const expanded = expandBraces(inside)
  const found = new Set<string>()
  for (const plain of expanded.ok ? expanded.patterns : []) {
    const walk = createWalk(plain)
    const look = async (path: string): Promise<void> => {
      const entries = await readEntries(workspace, `${directory}/${path}`, context)
      for (const { name, type } of entries) {
        if (found.size > limit) return
        const below = path === "" ? name : `${path}/${name}`
        const isAny = !walk.directoriesOnly
        if (walk.matches(below) && (isAny || (await isDirectory(`${directory}/${below}`, type)))) {
          found.add(`${start}${below}${walk.directoriesOnly ? "/" : ""}`)
        }
        if (walk.enters(below, type)) await look(below)
      }
    }
    await look("")
  }
  return [...found].sort()

  async function isDirectory(path: string, type: DirectoryEntry["type"]): Promise<boolean> {
    if (type !== "symlink") return type === "directory"
    const target = await workspace.stat(path, context).catch(() => null)
    return target?.type === "directory"
  }
}

interface Walk {
  readonly directoriesOnly: boolean
  matches(path: string): boolean
  /** Whether something below this entry may match. */
  enters(path: string, type: DirectoryEntry["type"]): boolean
}

/** Anchored: without "**", a pattern of three parts matches three levels down and nowhere else. */
function createWalk(plain: string): Walk {
  const parts = plain.split("/").filter((part) => part !== "" && part !== ".")
  const deep = parts.indexOf("**")
  const prefixes = parts.map((_, index) => matcher(parts.slice(0, index + 1)))
  return {
    directoriesOnly: plain.endsWith("/"),
    matches: matcher(parts),
    enters(path, type) {
      const levels = path.split("/").length
      const isDeep = deep !== -1 && levels > deep
      // As in bash, "**" follows no links, so that a circle of them ends.
      if (isDeep) return type === "directory" && !path.split("/").at(-1)?.startsWith(".")
      if (type !== "directory" && type !== "symlink") return false
      return levels < parts.length && (prefixes[levels - 1]?.(path) ?? false)
    },
  }
}

function matcher(parts: readonly string[]): (path: string) => boolean {
  const verdict = parseGlob(`./${parts.join("/")}`, { hidden: false })
  return verdict.ok ? verdict.glob.matches : () => false
}

/** What can't be listed, or is a link to a file, has nothing below it. */
async function readEntries(
  workspace: Workspace,
  path: string,
  { signal }: CallContext,
): Promise<readonly DirectoryEntry[]> {
  try {
    return await workspace.readdir(path, { signal })
  } catch (error) {
    if (error instanceof WorkspaceError) return []
    throw error
  }
}

function outside(pattern: string) {
  return invalidArgument(
    "pattern",
    `${JSON.stringify(pattern.slice(0, 80))} is outside the directory that is searched; search in its own directory.`,
    'a glob relative to that directory, such as "src/*.ts"',
  )
}
