import { type ConfigPath, quote, type ToolLists } from "../config/index.ts"
import { DefinitionError } from "../contract/index.ts"
import { nearest } from "../kit/index.ts"
import type { Groups } from "./groups.ts"
import { compileList, findEntry } from "./name-pattern.ts"
import { createRule, type JudgedTool, type Opinion } from "./verdict.ts"

/** The profiles that are always there; a policy may give one of these names other lists. */
export const builtInProfiles = {
  minimal: { allow: ["system.info"], deny: [] },
  messaging: {
    allow: ["system.info", "memory.read", "memory.write"],
    deny: ["shell.*", "file.*", "process.*"],
  },
  coding: { allow: ["*"], deny: ["group:runtime"] },
  full: { allow: ["*"], deny: [] },
} as const satisfies Record<string, ToolLists>

/** Whether a policy file exists or not: a file that names no profile takes nothing away. */
export const defaultProfile = "full"

export interface Profile {
  /** Allows what is in its list and denies everything else. */
  allow(tool: JudgedTool): Opinion
  /** Denies what is in its list. */
  deny(tool: JudgedTool): Opinion
}

export interface Profiles {
  /** `chosenAt` is where the profile's name stands. */
  find(name: string, chosenAt: ConfigPath): Profile
}

export function compileProfiles(
  own: Readonly<Record<string, ToolLists>>,
  groups: Groups,
  path: ConfigPath,
): Profiles {
  const all = new Map<string, ToolLists>([
    ...Object.entries(builtInProfiles),
    ...Object.entries(own),
  ])
  const compile = (name: string, lists: ToolLists, chosenAt?: ConfigPath) =>
    compileProfile({ name, lists, groups, chosenAt, path: path.at(name) })
  // Also those that nobody chose: a mistake in one should show before its day comes.
  for (const [name, lists] of Object.entries(own)) compile(name, lists)
  return {
    find(name, chosenAt) {
      const lists = all.get(name) ?? failUnknown(name, [...all.keys()], chosenAt)
      return compile(name, lists, Object.hasOwn(own, name) ? undefined : chosenAt)
    },
  }
}

interface ProfileSource {
  readonly name: string
  readonly lists: ToolLists
  readonly groups: Groups
  readonly path: ConfigPath
  /** Where a built-in profile was chosen; absent for one whose lists are in the policy. */
  readonly chosenAt: ConfigPath | undefined
}

function compileProfile({ name, lists, groups, path, chosenAt }: ProfileSource): Profile {
  const line = chosenAt?.line
  const remedy = chosenAt && remedyFor(chosenAt)
  const context = { groups, source: "profile", line } as const
  const allow = compileList(lists.allow ?? [], path.at("allow"), {
    ...context,
    says: `profile ${name} allows`,
  })
  const deny = compileList(lists.deny ?? [], path.at("deny"), {
    ...context,
    remedy,
    says: `profile ${name} denies`,
  })
  return {
    allow(tool) {
      const entry = findEntry(allow, tool)
      if (entry) return { says: "allow", rule: entry.rule }
      const text = `profile ${name} does not allow ${tool.name}`
      const rule = createRule("profile", text, { line: line ?? path.at("allow").line, remedy })
      return { says: "deny", rule }
    },
    deny(tool) {
      const entry = findEntry(deny, tool)
      if (entry) return { says: "deny", rule: entry.rule }
      return { says: "nothing", rule: createRule("profile", `profile ${name} does not deny it`) }
    },
  }
}

/** How a person allows what a built-in profile denies. An option beats the file, but no agent's own profile. */
function remedyFor({ name, line }: ConfigPath): string {
  const at = line === undefined ? "" : ` (line ${line})`
  const option = name === "tools.policy" ? ", or start with --profile full" : ""
  return `To allow it, set ${name} to full in toolkeep.yaml${at}${option}.`
}

function failUnknown(name: string, known: readonly string[], path: ConfigPath): never {
  return path.fail(`is ${quote(name)}, which is not a profile; ${thereAre(name, known)}`)
}

/** For a name that stands in no policy, such as an option's value. */
export function requireProfile(name: string, own: Readonly<Record<string, ToolLists>> = {}): void {
  const known = [...new Set([...Object.keys(builtInProfiles), ...Object.keys(own)])]
  if (known.includes(name)) return
  throw new DefinitionError(`${quote(name)} is not a profile; ${thereAre(name, known)}`)
}

function thereAre(name: string, known: readonly string[]): string {
  const close = nearest(name, known)
  return `there are ${known.join(", ")}${close ? `; did you mean "${close}"?` : "."}`
}
