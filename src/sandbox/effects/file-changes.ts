import {
  type ChangedFile,
  changesTogether,
  type FileChange,
  type FileEffects,
  type FileType,
  type Listed,
} from "../../contract/index.ts"
import { effectsLimits } from "../limits.ts"

/** A change of one path, as one look found it. The path has one character for each byte. */
export interface FoundChange extends Pick<ChangedFile, "before" | "after"> {
  readonly kind: FileChange
  readonly path: string
  readonly type: FileType
  readonly bytes: number | null
}

/** What several looks found, as one: what came and went again is not in it. */
export class FileChanges {
  readonly #changes = new Map<string, FoundChange>()

  add(found: FoundChange): void {
    const before = this.#changes.get(found.path)
    if (!before) {
      this.#changes.set(found.path, found)
      return
    }
    const kind = changesTogether(before.kind, found.kind)
    if (kind === null) this.#changes.delete(found.path)
    else this.#changes.set(found.path, joined(before, found, kind))
  }

  summary(below: string, incomplete: string | null): FileEffects {
    const sorted = [...this.#changes.values()].sort((one, other) =>
      one.path < other.path ? -1 : 1,
    )
    const of = (kind: FileChange) => listed(sorted.filter((one) => one.kind === kind))
    return {
      ...{ below, created: of("created"), changed: of("changed"), removed: of("removed") },
      ...(incomplete !== null && { incomplete }),
    }
  }
}

/** What was there before both, and what is there after both. */
function joined(
  { before }: FoundChange,
  { before: _, ...found }: FoundChange,
  kind: FileChange,
): FoundChange {
  return { ...found, kind, ...(kind !== "created" && before && { before }) }
}

/** Names can be long: the list ends early where they are. */
function listed(changes: readonly FoundChange[]): Listed<ChangedFile> {
  const first: ChangedFile[] = []
  let characters = 0
  for (const { path: bytes, type, bytes: size, before, after } of changes) {
    const path = Buffer.from(bytes, "latin1").toString("utf8")
    characters += path.length
    if (first.length >= effectsLimits.listed || characters > effectsLimits.listedCharacters) break
    const isFile = type === "file"
    first.push({
      ...{ path, type, bytes: isFile ? size : null },
      ...(isFile && before && { before }),
      ...(isFile && after && { after }),
    })
  }
  return { count: changes.length, first }
}
