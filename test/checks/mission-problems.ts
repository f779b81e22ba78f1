import type { FoundTest } from "./find-tests.ts"

const one = String.raw`[A-Z]\d+(?:\.[A-Za-z]+)?`
const idList = new RegExp(String.raw`^${one}(?:[\s,&]+${one})*$`)
const startsWithId = /^[FOCRYX]\d+\b/

/** A sentence, or the clauses of which each needs a proof of its own. */
type MissionItem = string | Readonly<Record<string, string>>

export interface MissionFacts {
  readonly items: Readonly<Record<string, MissionItem>>
  readonly delivered: readonly string[]
  readonly tests: readonly FoundTest[]
}

/** What is wrong between the mission's items and the tests that cite them: "F9.model, O1: says 124". */
export function missionProblems({ items, delivered, tests }: MissionFacts): string[] {
  const proofs = new Map(
    Object.entries(items).flatMap(([id, item]) =>
      typeof item === "string"
        ? [[id, item] as const]
        : Object.entries(item).map(([clause, text]) => [`${id}.${clause}`, text] as const),
    ),
  )
  const cited = new Set<string>()
  const problems: string[] = []
  for (const { file, line, title } of tests) {
    const ids = citedIds(title)
    if (ids === "unreadable") {
      problems.push(`${file}:${line}: starts like an id, but is no list of ids: "${title}"`)
      continue
    }
    for (const id of ids) {
      const isKnown = proofs.has(id) || Object.hasOwn(items, id)
      if (!isKnown) problems.push(`${file}:${line}: no mission item is ${id}`)
      cited.add(id)
    }
  }
  for (const id of delivered) {
    const wanted = [...proofs].filter(([proof]) => proof === id || proof.startsWith(`${id}.`))
    if (wanted.length === 0) problems.push(`${id} (unknown): no test cites it`)
    for (const [proof, text] of wanted) {
      if (!cited.has(proof)) problems.push(`${proof} (${text}): no test cites it`)
    }
  }
  return problems
}

function citedIds(title: string): readonly string[] | "unreadable" {
  const colon = title.indexOf(":")
  const prefix = (colon < 0 ? "" : title.slice(0, colon)).trim()
  if (idList.test(prefix)) return prefix.split(/[\s,&]+/)
  return startsWithId.test(title) ? "unreadable" : []
}
