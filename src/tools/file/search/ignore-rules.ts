import { trimEndOf } from "../../../kit/index.ts"
import { parsePlainGlob } from "./glob/glob-pattern.ts"

/** What one directory says about the files below it. */
export interface IgnoreLevel {
  /** A repository starts here: what .gitignore files above it say does not count. */
  readonly isRepository: boolean
  readonly gitignore: readonly IgnoreRule[]
  readonly ignore: readonly IgnoreRule[]
}

interface IgnoreRule {
  readonly negated: boolean
  readonly onlyDirectories: boolean
  /** Judges a path relative to the directory of the rule's file. */
  readonly matches: (path: string) => boolean
}

/** The rules of a .gitignore or .ignore file, in its order. */
export function parseIgnoreFile(text: string): readonly IgnoreRule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    // Spaces at the end count only after a backslash.
    const bare = trimEndOf(line, " \t")
    const rule = bare.endsWith("\\") ? line.slice(0, bare.length + 1) : bare
    if (rule === "" || rule.startsWith("#")) return []
    const negated = rule.startsWith("!")
    const body = negated ? rule.slice(1) : rule
    const onlyDirectories = body.endsWith("/")
    const matches = parsePlainGlob(onlyDirectories ? body.slice(0, -1) : body)
    return matches ? [{ negated, onlyDirectories, matches }] : []
  })
}

/** Decides as ripgrep does which files below a directory are left out. Directories are absolute, without "/" at the end. */
export class IgnoreRules {
  readonly #levels: ReadonlyMap<string, IgnoreLevel>
  readonly #directories = new Map<string, boolean>()

  constructor(levels: ReadonlyMap<string, IgnoreLevel>) {
    this.#levels = levels
  }

  /** `path` is relative to `directory`. Nothing below an ignored directory is looked at, whatever is said about it. */
  leavesOut(directory: string, path: string): boolean {
    const parts = path.split("/")
    let at = directory
    for (const [index, part] of parts.entries()) {
      at = `${at}/${part}`
      if (index === parts.length - 1) return this.#isIgnored(at, false)
      const isIgnored = this.#directories.get(at) ?? this.#isIgnored(at, true)
      this.#directories.set(at, isIgnored)
      if (isIgnored) return true
    }
    return false
  }

  /** The nearest file that says something decides, and any .ignore before every .gitignore. */
  #isIgnored(path: string, isDirectory: boolean): boolean {
    let byIgnore: boolean | null = null
    let byGit: boolean | null = null
    let isInRepository = false
    for (const directory of above(path)) {
      const level = this.#levels.get(directory)
      if (!level) continue
      const inside = path.slice(directory.length + 1)
      byIgnore ??= verdict(level.ignore, inside, isDirectory)
      if (!isInRepository) byGit ??= verdict(level.gitignore, inside, isDirectory)
      isInRepository ||= level.isRepository
    }
    // Outside of every repository a .gitignore says nothing.
    return byIgnore ?? (isInRepository && byGit === true)
  }
}

/** The directories that a path is in, the nearest first; the root is "". */
export function above(path: string): readonly string[] {
  const directories: string[] = []
  for (let at = path.lastIndexOf("/"); at >= 0; at = path.lastIndexOf("/", at - 1)) {
    directories.push(path.slice(0, at))
    if (at === 0) break
  }
  return directories
}

/** Of several rules that match, the last one counts. */
function verdict(rules: readonly IgnoreRule[], path: string, isDirectory: boolean): boolean | null {
  const rule = rules.findLast(
    ({ onlyDirectories, matches }) => (isDirectory || !onlyDirectories) && matches(path),
  )
  return rule ? !rule.negated : null
}
