import { ToolFailure } from "../envelope/tool-failure.ts"
import { limits } from "../limits.ts"

/** Where commands start in every sandbox of the hosts that have a home of their own. */
export const sandboxHome = "/home/user"

export type PathVerdict =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: PathFault; readonly message: string }

export type PathFault = "empty" | "dangerous-character" | "too-long" | "traversal" | "outside-roots"

export interface PathRules {
  /** Where relative paths start. */
  readonly cwd: string
  /** The directories a path may lie in. */
  readonly roots: readonly string[]
}

/** Resolves a POSIX path against `cwd`, without a look at any disk. `..` never climbs above `/`. */
export function resolvePath(cwd: string, path: string): string {
  const parts: string[] = []
  const whole = path.startsWith("/") ? path : `${cwd}/${path}`
  for (const part of whole.split("/")) {
    if (part === "" || part === ".") continue
    if (part === "..") parts.pop()
    else parts.push(part)
  }
  return `/${parts.join("/")}`
}

export function isInside(root: string, path: string): boolean {
  const base = root.endsWith("/") ? root.slice(0, -1) : root
  return path === base || path.startsWith(`${base}/`)
}

/** Says whether a path may be used, and if not, why. */
export function checkPath(path: string, rules: PathRules): PathVerdict {
  if (path.trim() === "") return refuse("empty", "The path is empty.")
  const character = dangerousCharacter(path)
  if (character) return refuse("dangerous-character", `The path contains ${character}.`)
  if (isTooLong(path)) {
    return refuse(
      "too-long",
      `The path is too long: at most ${limits.pathPartBytes} bytes a name and ${limits.pathBytes} in all.`,
    )
  }
  const resolved = resolvePath(rules.cwd, path)
  if (rules.roots.some((root) => isInside(root, resolved))) return { ok: true, path: resolved }
  const allowed = rules.roots.join(", ")
  return path.split("/").includes("..")
    ? refuse("traversal", `The path climbs out of the workspace with "..". Stay within ${allowed}.`)
    : refuse("outside-roots", `The path is outside the workspace. Stay within ${allowed}.`)
}

/** The absolute path, or the failure that says why it can't be used. */
export function requirePath(path: string, rules: PathRules, field = "path"): string {
  const verdict = checkPath(path, rules)
  if (verdict.ok) return verdict.path
  throw new ToolFailure({
    kind: "invalid_args",
    message: verdict.message,
    field,
    expected: `a path within ${rules.roots.join(", ")}, such as "notes/today.md"`,
  })
}

function refuse(reason: PathFault, message: string): PathVerdict {
  return { ok: false, reason, message }
}

function dangerousCharacter(path: string): string | null {
  if (path.includes("\0")) return "a NUL character"
  if (!path.isWellFormed()) return "half of a surrogate pair, which no file name can hold"
  return null
}

function isTooLong(path: string): boolean {
  // A UTF-16 unit is at most three bytes of UTF-8, so short paths need no encoding.
  if (path.length * 3 <= limits.pathPartBytes) return false
  const encoder = new TextEncoder()
  return (
    encoder.encode(path).length > limits.pathBytes ||
    path.split("/").some((part) => encoder.encode(part).length > limits.pathPartBytes)
  )
}
