import { fileLimits } from "../../../limits.ts"
import { matchesName, type NamePattern, parseName, simpleGlob } from "./name-pattern.ts"

/** A glob that judges paths relative to where the search starts. */
export interface GlobPattern {
  matches(path: string): boolean
  /** It names something hidden, such as ".github/**", so hidden files have to be looked at. */
  readonly namesHidden: boolean
  /**
   * Globs of the simplest kind, literal characters and stars, for the names of files: no file matches
   * whose own name matches none of them. Null when any name may match.
   */
  readonly names: readonly string[] | null
}

export type GlobVerdict =
  | { readonly ok: true; readonly glob: GlobPattern }
  | { readonly ok: false; readonly problem: string }

export interface GlobOptions {
  /** Wildcards also match names that start with a dot. */
  readonly hidden: boolean
}

type Segment =
  | { readonly kind: "any-depth" }
  | { readonly kind: "name"; readonly name: NamePattern }

/**
 * Reads a glob: `*`, `?`, `[a-z]`, `{a,b}`, `**`. Without a slash it matches at any depth.
 * Written here, and matched without backtracking over more than one star, because every host has
 * its own idea of globs and a regular expression built from one can take years.
 */
export function parseGlob(pattern: string, options: GlobOptions): GlobVerdict {
  const expanded = expandBraces(pattern)
  if (!expanded.ok) return expanded
  const alternatives: (readonly Segment[])[] = []
  for (const plain of expanded.patterns) {
    const segments = parseSegments(plain)
    if (typeof segments === "string") return { ok: false, problem: segments }
    alternatives.push(segments)
  }
  const namesHidden = alternatives.flat().some((one) => one.kind === "name" && one.name.hidden)
  return {
    ok: true,
    glob: {
      namesHidden,
      names: namesOf(alternatives),
      matches: (path) => {
        const parts = path.split("/")
        return alternatives.some((segments) => matchesPath(segments, parts, options))
      },
    },
  }
}

/** A pattern without braces, as .gitignore has it; null for one that can't be read. */
export function parsePlainGlob(pattern: string): ((path: string) => boolean) | null {
  const segments = parseSegments(pattern)
  if (typeof segments === "string" || segments.length === 0) return null
  return (path) => matchesPath(segments, path.split("/"), { hidden: true })
}

function namesOf(alternatives: readonly (readonly Segment[])[]): readonly string[] | null {
  const names = alternatives.map((segments) => {
    const last = segments.at(-1)
    return last?.kind === "name" ? simpleGlob(last.name) : "*"
  })
  return names.includes("*") ? null : [...new Set(names)]
}

function parseSegments(pattern: string): readonly Segment[] | string {
  const anchored = pattern.replace(/^(?:\.?\/)+/, "")
  const whole = anchored.endsWith("/") ? `${anchored}**` : anchored
  const parts = whole.split("/").filter((part) => part !== "" && part !== ".")
  const atAnyDepth = !pattern.includes("/")
  const segments: Segment[] = atAnyDepth ? [{ kind: "any-depth" }] : []
  for (const part of parts) {
    if (part === "**") {
      segments.push({ kind: "any-depth" })
      continue
    }
    const name = parseName(part)
    if (!name.ok) return name.problem
    segments.push({ kind: "name", name: name.name })
  }
  // "src/**" means the files below, so the last name may be anything.
  if (parts.at(-1) === "**")
    segments.push({ kind: "name", name: { hidden: false, tokens: [{ kind: "many" }] } })
  return segments
}

/** Only the last `**` is ever widened: a shorter reach of an earlier one is as good. */
function matchesPath(
  segments: readonly Segment[],
  parts: readonly string[],
  options: GlobOptions,
): boolean {
  let segment = 0
  let part = 0
  let retry: { segment: number; part: number } | null = null
  while (part < parts.length) {
    const current = segments[segment]
    const name = parts[part] ?? ""
    if (current?.kind === "any-depth") {
      retry = { segment: segment + 1, part }
      segment += 1
    } else if (current && matchesName(current.name, name, options.hidden)) {
      segment += 1
      part += 1
    } else {
      if (!retry) return false
      const skipped = parts[retry.part] ?? ""
      if (skipped.startsWith(".") && !options.hidden) return false
      retry = { segment: retry.segment, part: retry.part + 1 }
      segment = retry.segment
      part = retry.part
    }
  }
  return segment === segments.length
}

type Expansion =
  | { readonly ok: true; readonly patterns: readonly string[] }
  | { readonly ok: false; readonly problem: string }

/** The plain patterns that "src/*.{ts,js}" stands for. Braces may stand in each other. */
export function expandBraces(pattern: string): Expansion {
  const done: string[] = []
  const waiting = [pattern]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const group = firstGroup(next)
    if (group === "unclosed") return { ok: false, problem: 'it has a "{" without its "}"' }
    if (group === null) done.push(next)
    else waiting.push(...expandGroup(next, group).toReversed())
    if (done.length + waiting.length > fileLimits.patternAlternatives) {
      return { ok: false, problem: "its braces stand for too many patterns" }
    }
  }
  return { ok: true, patterns: done }
}

interface Group {
  readonly open: number
  readonly commas: readonly number[]
  readonly close: number
}

function firstGroup(pattern: string): Group | "unclosed" | null {
  const open = findUnescaped(pattern, "{", 0)
  if (open === -1) return null
  const commas: number[] = []
  let depth = 0
  for (let at = open; at < pattern.length; at += 1) {
    const character = pattern[at]
    if (character === "\\") at += 1
    else if (character === "{") depth += 1
    else if (character === "," && depth === 1) commas.push(at)
    else if (character === "}" && --depth === 0) return { open, commas, close: at }
  }
  return "unclosed"
}

function findUnescaped(pattern: string, wanted: string, from: number): number {
  for (let at = from; at < pattern.length; at += 1) {
    if (pattern[at] === "\\") at += 1
    else if (pattern[at] === wanted) return at
  }
  return -1
}

function expandGroup(pattern: string, { open, commas, close }: Group): readonly string[] {
  const cuts = [open, ...commas, close]
  const before = pattern.slice(0, open)
  const after = pattern.slice(close + 1)
  return cuts.slice(1).map((cut, index) => {
    const from = (cuts[index] ?? open) + 1
    return `${before}${pattern.slice(from, cut)}${after}`
  })
}
