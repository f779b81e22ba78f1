import { type ConfigPath, configRoot, type PolicyConfig, type PolicyFile } from "../config/index.ts"
import { builtInProfiles, defaultProfile } from "./profiles.ts"
import type { PolicyQuery, Verdict } from "./verdict.ts"

/** A change of a policy that was tried: with it, a call is decided otherwise. */
export interface PolicyChange {
  /** Such as `Remove "group:runtime" from tools.profiles.coding.deny`. */
  readonly text: string
  /** What is decided then. */
  readonly verdict: Verdict["kind"]
  readonly file?: string
  readonly line?: number
}

interface Edit {
  readonly text: string
  readonly at: ConfigPath
  apply(file: Draft): void
}

/** A copy of a policy, to be changed. */
type Draft = { -readonly [Key in keyof PolicyFile]: PolicyFile[Key] } & Record<string, unknown>

const mostEdits = 300

/**
 * The smallest change that decides otherwise: what is about this tool alone before what is about several, and lists
 * before the choice of a profile. Each is judged until one does.
 */
export function suggestChange(
  { origin, ...file }: PolicyConfig,
  query: PolicyQuery,
  judge: (file: PolicyFile) => Verdict,
): PolicyChange | null {
  const root = configRoot(origin)
  const { kind } = judge(file)
  for (const { text, at, apply } of editsOf(file, query, root).slice(0, mostEdits)) {
    const changed = structuredClone(file) as Draft
    apply(changed)
    const verdict = tryOut(judge, changed)
    if (verdict === null || verdict === kind) continue
    return {
      ...{ text, verdict },
      ...(origin && at.line !== undefined && { file: origin.file, line: at.line }),
    }
  }
  return null
}

/** Null for a policy that contradicts itself. */
function tryOut(judge: (file: PolicyFile) => Verdict, file: PolicyFile): Verdict["kind"] | null {
  try {
    return judge(file).kind
  } catch {
    return null
  }
}

function editsOf(file: PolicyFile, query: PolicyQuery, root: ConfigPath): readonly Edit[] {
  const { name } = query.tool
  const lists = listsOf(file, query)
  const removals = lists.flatMap((path) =>
    entriesOf(file, path).map((entry, index) => ({
      entry,
      edit: removal(root, path, index, entry),
    })),
  )
  const own = removals.filter(({ entry }) => entry === name)
  const others = removals.filter(({ entry }) => entry !== name)
  const added = lists.filter((path) => !entriesOf(file, path).includes(name))
  return [
    ...own.map(({ edit }) => edit),
    ...(file.tools?.rules ?? []).map((_, index) => ruleRemoval(root, index)),
    ...added.map((path) => addition(root, path, name)),
    ...others.map(({ edit }) => edit),
    ...autonomyEdits(query, root),
    ...profileEdits(file, query, root),
  ]
}

type Path = readonly string[]

/** The lists that a call is held against. A list that is not there can be added. */
function listsOf(file: PolicyFile, { agent, provider }: PolicyQuery): readonly Path[] {
  const own = agent === undefined ? undefined : file.agents?.[agent]
  const profile = own?.toolPolicy ?? file.tools?.policy ?? defaultProfile
  const isOwn = Object.hasOwn(file.tools?.profiles ?? {}, profile)
  return [
    ...["silent", "log", "confirm"].map((list) => ["tools", "hooks", list]),
    ...(provider === undefined ? [] : lists("providers", provider)),
    ...(agent === undefined ? [] : lists("agents", agent)),
    ...(isOwn ? lists("tools", "profiles", profile) : []),
  ]
}

function lists(...path: Path): readonly Path[] {
  return [
    [...path, "allow"],
    [...path, "deny"],
  ]
}

function entriesOf(file: PolicyFile, path: Path): readonly string[] {
  let at: unknown = file
  for (const step of path) {
    const isThere = typeof at === "object" && at !== null && Object.hasOwn(at, step)
    at = isThere ? Reflect.get(Object(at), step) : undefined
  }
  return Array.isArray(at) ? at : []
}

function placeOf(root: ConfigPath, path: Path): ConfigPath {
  return path.reduce((place, step) => place.at(step), root)
}

function removal(root: ConfigPath, path: Path, index: number, entry: string): Edit {
  const list = placeOf(root, path)
  return {
    text: `Remove ${JSON.stringify(entry)} from ${list.name}`,
    at: list.at(index),
    apply: (file) => setAt(file, path, entriesOf(file, path).toSpliced(index, 1)),
  }
}

function addition(root: ConfigPath, path: Path, name: string): Edit {
  const list = placeOf(root, path)
  return {
    text: `Add ${JSON.stringify(name)} to ${list.name}`,
    at: list,
    apply: (file) => setAt(file, path, [...entriesOf(file, path), name]),
  }
}

function ruleRemoval(root: ConfigPath, index: number): Edit {
  const at = root.at("tools").at("rules").at(index)
  return {
    text: `Remove ${at.name}`,
    at,
    apply: (file) => setAt(file, ["tools", "rules"], (file.tools?.rules ?? []).toSpliced(index, 1)),
  }
}

function autonomyEdits({ agent }: PolicyQuery, root: ConfigPath): readonly Edit[] {
  const path = agent === undefined ? ["tools", "autonomy"] : ["agents", agent, "autonomy"]
  return ["standard", "autonomous", "conservative"].map((level) => setting(root, path, level))
}

/** The profile that takes least away comes last. */
function profileEdits(file: PolicyFile, { agent }: PolicyQuery, root: ConfigPath): readonly Edit[] {
  const path = agent === undefined ? ["tools", "policy"] : ["agents", agent, "toolPolicy"]
  const names = new Set([
    ...Object.keys(file.tools?.profiles ?? {}),
    ...Object.keys(builtInProfiles),
  ])
  return [...names].map((name) => setting(root, path, name))
}

function setting(root: ConfigPath, path: Path, value: string): Edit {
  const at = placeOf(root, path)
  return { text: `Set ${at.name} to ${value}`, at, apply: (file) => setAt(file, path, value) }
}

/** Makes the objects on the way. */
function setAt(file: Draft, path: Path, value: unknown): void {
  let at: Record<string, unknown> = file
  for (const step of path.slice(0, -1)) {
    const next = Object.hasOwn(at, step) ? at[step] : undefined
    const inside = typeof next === "object" && next !== null ? next : {}
    at[step] = inside
    at = inside as Record<string, unknown>
  }
  at[path.at(-1) ?? ""] = value
}
