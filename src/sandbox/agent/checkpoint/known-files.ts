import { readFileSync, writeFileSync } from "node:fs"

/** By the number of a file in the source: how it was when it was copied, and where its copy is. */
export type KnownFiles = Map<string, KnownFile>

export interface KnownFile {
  readonly state: string
  /** In the copy; each byte is one character. */
  readonly path: string
}

/** A copy and what is known of its source, as one file. */
export interface KnownTree {
  /** The name of the copy. */
  readonly tree: string
  readonly known: KnownFiles
}

/** Null when there is none that can be read: then everything is copied. */
export function readKnown(file: string): KnownTree | null {
  try {
    const { tree, known } = JSON.parse(readFileSync(file, "utf8")) as {
      readonly tree: string
      readonly known: readonly (readonly [string, string, string])[]
    }
    const files = known.map(([inode, state, path]) => [inode, { state, path }] as const)
    return { tree, known: new Map(files) }
  } catch {
    return null
  }
}

export function writeKnown(file: string, { tree, known }: KnownTree): void {
  const files = [...known].map(([inode, { state, path }]) => [inode, state, path])
  writeFileSync(file, JSON.stringify({ tree, known: files }), { mode: 0o600 })
}
