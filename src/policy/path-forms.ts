import { isInside, resolvePath, sandboxHome } from "../contract/index.ts"

/** From where paths of a call start. */
export interface PathStart {
  /** The sandbox's home. */
  readonly home: string
  /** Where relative paths start; the home when absent. */
  readonly cwd?: string | undefined
}

/** Where a call starts that is bound to no sandbox. */
export const usualStart: PathStart = { home: sandboxHome }

/**
 * The forms in which rules see a path, the same for every spelling of it: from the home on, where it lies in there
 * ("docs/x", the home itself is "."), and absolute. By name alone: no disk is looked at, so a link is the place
 * where it stands.
 */
export function pathForms(path: string, { home, cwd = home }: PathStart): readonly string[] {
  const base = resolvePath("/", home)
  const absolute = resolvePath(resolvePath(base, cwd), path)
  if (!isInside(base, absolute)) return [absolute]
  const below = absolute.slice(base.length).replace(/^\//, "")
  return [below === "" ? "." : below, absolute]
}
