import { createRule } from "./create-rule.ts"
import type { Groups } from "./groups.ts"
import type { Place } from "./place.ts"
import type { ToolLists } from "./policy-schema.ts"
import { compileList, findEntry } from "./tool-list.ts"
import type { JudgedTool, Opinion } from "./verdict.ts"

/** What an agent's or a provider's own lists say of a tool. */
export interface Override {
  judge(tool: JudgedTool): Opinion
}

export interface OverrideSource {
  readonly kind: "agent" | "provider"
  readonly name: string
  readonly lists: ToolLists
  readonly groups: Groups
  readonly place: Place
}

export function compileOverride({ kind, name, lists, groups, place }: OverrideSource): Override {
  const list = (key: "allow" | "deny", says: string) =>
    compileList(lists[key] ?? [], place.at(key), {
      groups,
      source: kind,
      says: `${kind} ${name} ${says}`,
    })
  const deny = list("deny", "denies")
  const allow = list("allow", "allows")
  const naming = allow.filter(({ pattern }) => !pattern.isEverything)
  const silence = createRule(
    kind,
    naming.length < allow.length
      ? `${kind} ${name} allows *, which names no tool and lifts no denial`
      : `${kind} ${name} does not name it`,
  )
  return {
    judge(tool) {
      const denied = findEntry(deny, tool)
      if (denied) return { says: "deny", rule: denied.rule }
      const allowed = findEntry(naming, tool)
      if (allowed) return { says: "allow", rule: allowed.rule }
      return { says: "nothing", rule: silence }
    },
  }
}
