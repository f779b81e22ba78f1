import {
  changesTogether,
  type FileChange,
  type FileType,
  type Listed,
  type Unknown,
} from "../../contract/index.ts"
import { fileChanges, type RecordedFile, type StoredText } from "../effects/recorded-effects.ts"
import type { CallEntries } from "../record/call-entries.ts"
import { changesLimits } from "./limits.ts"

/** Tasks have sessions of their own. */
export interface CallOfSession {
  readonly session: string
  readonly call: string
}

/** A path that is not as it was before a range of calls. */
export interface NetChange {
  readonly path: string
  readonly change: FileChange
  readonly type: FileType
  readonly bytes: number | null
  readonly before: StoredText | Unknown | undefined
  readonly after: StoredText | Unknown | undefined
  /** The calls that changed it, in their order. */
  readonly calls: readonly CallOfSession[]
  /** Something else has changed it between two of them. */
  readonly isInterrupted: boolean
}

type Effects = CallEntries["call-effects"]

/** What several calls did to the files of one sandbox, as one: what came and went again is not in it. */
export class JoinedChanges {
  readonly sandbox: string
  readonly #changes = new Map<string, NetChange>()
  readonly #notes = new Set<string>()
  /** The directory that was looked at; null where nobody could look. */
  below: string | null = null

  constructor(sandbox: string) {
    this.sandbox = sandbox
  }

  add({ call, files, shared }: Effects, session: string): void {
    if ("unknown" in files) {
      this.#note(`What ${call} changed is not known, because ${files.unknown}`)
      return
    }
    this.below ??= files.below
    for (const change of fileChanges) this.#addAll({ session, call }, change, files[change])
    if (files.incomplete !== undefined) {
      this.#note(`${call} may have changed more: ${files.incomplete}`)
    }
    if (shared.length > 0) this.#note(`${call} ran beside others, which may have done the same`)
  }

  get changes(): readonly NetChange[] {
    return [...this.#changes.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
  }

  get notes(): readonly string[] {
    return [...this.#notes]
  }

  #addAll(by: CallOfSession, change: FileChange, { count, first }: Listed<RecordedFile>): void {
    for (const file of first) this.#addFile(by, change, file)
    const unnamed = count - first.length
    if (unnamed > 0)
      this.#note(`${by.call} has ${change} ${unnamed} more paths, which are not named`)
  }

  #addFile(by: CallOfSession, change: FileChange, file: RecordedFile): void {
    const { path, type, bytes, before, after } = file
    const known = this.#changes.get(path)
    const together = known ? changesTogether(known.change, change) : change
    this.#changes.delete(path)
    if (together === null) return
    this.#changes.set(path, {
      ...{ path, change: together, type, bytes, after },
      before: known ? known.before : before,
      calls: [...(known?.calls ?? []), by],
      isInterrupted: known !== undefined && (known.isInterrupted || isOther(known.after, before)),
    })
  }

  #note(text: string): void {
    if (this.#notes.size < changesLimits.notes) this.#notes.add(text)
  }
}

/** Whether a file was another one when the next call began. */
function isOther(after: NetChange["after"], before: NetChange["before"]): boolean {
  if (!after || !before || "unknown" in after || "unknown" in before) return false
  return after.hash !== before.hash
}
