/** An error in a file, with where it is and what is written there. */
export interface SourceProblem {
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
  /** The lines around it, with their numbers and a mark. */
  readonly frame?: string
}
