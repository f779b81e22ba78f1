import type { FoundTest } from "./find-tests.ts"

const idList = /^[A-Z]\d+(?:[\s,&]+[A-Z]\d+)*$/
const startsWithId = /^[FOCRYX]\d+\b/

export interface MissionFacts {
  readonly items: Readonly<Record<string, string>>
  readonly delivered: readonly string[]
  readonly tests: readonly FoundTest[]
}

/** What is wrong between the mission's items and the tests that cite them: "F9, O1: says 124". */
export function missionProblems({ items, delivered, tests }: MissionFacts): string[] {
  const cited = new Set<string>()
  const problems: string[] = []
  for (const { file, line, title } of tests) {
    const ids = citedIds(title)
    if (ids === "unreadable") {
      problems.push(`${file}:${line}: starts like an id, but is no list of ids: "${title}"`)
      continue
    }
    for (const id of ids) {
      if (!Object.hasOwn(items, id)) problems.push(`${file}:${line}: no mission item is ${id}`)
      cited.add(id)
    }
  }
  for (const id of delivered) {
    if (!cited.has(id)) problems.push(`${id} (${items[id] ?? "unknown"}): no test cites it`)
  }
  return problems
}

function citedIds(title: string): readonly string[] | "unreadable" {
  const colon = title.indexOf(":")
  const prefix = (colon < 0 ? "" : title.slice(0, colon)).trim()
  if (idList.test(prefix)) return prefix.split(/[\s,&]+/)
  return startsWithId.test(title) ? "unreadable" : []
}
