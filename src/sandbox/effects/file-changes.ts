import type { ChangedFile, FileEffects, FileType, Listed } from "../../contract/index.ts"
import { effectsLimits } from "../limits.ts"

/** A change of one path, as one look found it. The path has one character for each byte. */
export interface FoundChange {
  readonly kind: "created" | "changed" | "removed"
  readonly path: string
  readonly type: FileType
  readonly bytes: number | null
}

/** What several looks found, as one: what came and went again is not in it. */
export class FileChanges {
  readonly #changes = new Map<string, FoundChange>()

  add(found: FoundChange): void {
    const before = this.#changes.get(found.path)
    const kind = before ? together(before.kind, found.kind) : found.kind
    if (kind === null) this.#changes.delete(found.path)
    else this.#changes.set(found.path, { ...found, kind })
  }

  summary(below: string, incomplete: string | null): FileEffects {
    const sorted = [...this.#changes.values()].sort((one, other) =>
      one.path < other.path ? -1 : 1,
    )
    const of = (kind: FoundChange["kind"]) => listed(sorted.filter((one) => one.kind === kind))
    return {
      ...{ below, created: of("created"), changed: of("changed"), removed: of("removed") },
      ...(incomplete !== null && { incomplete }),
    }
  }
}

function together(
  before: FoundChange["kind"],
  now: FoundChange["kind"],
): FoundChange["kind"] | null {
  if (before === "created") return now === "removed" ? null : "created"
  if (before === "removed") return now === "created" ? "changed" : now
  return now === "created" ? "changed" : now
}

/** Names can be long: the list ends early where they are. */
function listed(changes: readonly FoundChange[]): Listed<ChangedFile> {
  const first: ChangedFile[] = []
  let characters = 0
  for (const { path: bytes, type, bytes: size } of changes) {
    const path = Buffer.from(bytes, "latin1").toString("utf8")
    characters += path.length
    if (first.length >= effectsLimits.listed || characters > effectsLimits.listedCharacters) break
    first.push({ path, type, bytes: type === "file" ? size : null })
  }
  return { count: changes.length, first }
}
