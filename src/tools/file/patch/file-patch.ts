/** One file's part of a unified diff. */
export interface FilePatch {
  readonly change: PatchChange
  /** What it is called before, as the patch says it; null for a file that is added. */
  readonly from: string | null
  /** What it is called after; null for a file that is deleted. */
  readonly to: string | null
  /** Permission bits of a file that is added, where the patch says so. */
  readonly mode: number | null
  readonly hunks: readonly Hunk[]
}

export type PatchChange = "added" | "modified" | "deleted" | "renamed"

export interface Hunk {
  /** As the patch has it, for messages: "@@ -1,3 +1,4 @@". */
  readonly header: string
  /** Where it starts in the file before; the first line is 1. */
  readonly start: number
  readonly lines: readonly HunkLine[]
}

export interface HunkLine {
  readonly sign: " " | "-" | "+"
  /** With its line end, where it has one. */
  readonly text: string
}

/** What stands between two files' hunks, as far as it was read. */
export interface PatchHeader {
  from?: string | null
  to?: string | null
  /** Its "---" and "+++" lines were read. */
  isNamed?: boolean
  fromGit?: { readonly from: string; readonly to: string } | undefined
  renamed?: boolean
  copied?: boolean
  added?: boolean
  deleted?: boolean
  mode?: number
  binary?: boolean
}

/** A patch that can't be read, with the line that shows it. */
export class PatchFault extends Error {}
