/** One thing that was remembered. */
export interface MemoryEntry {
  readonly id: string
  readonly content: string
  readonly createdMs: number
  readonly updatedMs: number
}

export type MemoryWrite =
  /** Adds an entry. */
  | { readonly kind: "append"; readonly namespace: string; readonly content: string }
  /** Puts one entry in the place of all that the namespace holds. */
  | { readonly kind: "replace-all"; readonly namespace: string; readonly content: string }
  /** Gives an entry another content. */
  | {
      readonly kind: "replace-entry"
      readonly namespace: string
      readonly id: string
      readonly content: string
    }

export interface WrittenEntry {
  readonly id: string
  /** How many entries were there before and are not as they were. */
  readonly replaced: number
  /** How many the namespace holds now. */
  readonly entryCount: number
}

export interface MemoryPage {
  /** The oldest first. */
  readonly entries: readonly MemoryEntry[]
  /** Of the whole namespace. */
  readonly entryCount: number
}

export interface MemoryNamespace {
  readonly name: string
  readonly entryCount: number
  readonly bytes: number
  readonly updatedMs: number
}

export type MatchedBy = "keyword" | "vector"

export interface MemoryQuestion {
  readonly query: string
  readonly namespace?: string | undefined
  readonly limit: number
  readonly mode: "hybrid" | "keyword" | "vector"
}

export interface MemoryHit {
  readonly namespace: string
  readonly id: string
  /** The piece of the entry that matches best. */
  readonly snippet: string
  /** Whether that is the whole entry. */
  readonly whole: boolean
  /** From 1 for what is first by every measure towards 0. */
  readonly score: number
  /** The cosine between query and snippet, where vectors found it. */
  readonly similarity: number | null
  readonly matchedBy: readonly MatchedBy[]
  readonly updatedMs: number
}

export interface MemoryAnswer {
  readonly hits: readonly MemoryHit[]
  /** What the search could not do, as sentences. */
  readonly warnings: readonly string[]
}

export interface WorkOptions {
  readonly signal?: AbortSignal | undefined
}

/**
 * What agents remember beyond their sessions. Several processes use one store at once; a write that was
 * answered is not lost. Failures are ToolFailures, ready for an envelope.
 */
export interface MemoryStore {
  /** All of it or nothing. Fails with not_found for an entry that is not there. */
  write(write: MemoryWrite, options?: WorkOptions): Promise<WrittenEntry>
  /** Null when there is no such namespace. */
  read(
    namespace: string,
    page: { readonly offset: number; readonly limit: number },
    options?: WorkOptions,
  ): Promise<MemoryPage | null>
  find(namespace: string, id: string, options?: WorkOptions): Promise<MemoryEntry | null>
  /** In the order of their names; those that start with `prefix`. */
  namespaces(prefix?: string, options?: WorkOptions): Promise<readonly MemoryNamespace[]>
  search(question: MemoryQuestion, options?: WorkOptions): Promise<MemoryAnswer>
  /** Removes the entry, or all of the namespace; how many are gone. */
  remove(namespace: string, id?: string, options?: WorkOptions): Promise<number>
  close(): Promise<void>
}
