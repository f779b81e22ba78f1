/** A file that was made for a person: it outlives the sandbox it came from. */
export interface Artifact {
  readonly id: string
  /** A plain name, without directories. */
  readonly filename: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** Where it is on this machine. */
  readonly path: string
}

export interface NewArtifact {
  readonly filename: string
  readonly mimeType: string
  readonly content: Uint8Array | AsyncIterable<Uint8Array>
}

/** The files that one session made for a person. */
export interface Artifacts {
  /** All of it or nothing: one that is cut off half-way leaves no trace. */
  keep(file: NewArtifact): Promise<Artifact>
  /** The oldest first. */
  list(): Promise<readonly Artifact[]>
  /** Null for an id that was never given. */
  find(id: string): Promise<Artifact | null>
  /** Does nothing for an id that does not exist. */
  remove(id: string): Promise<void>
}
