/** Where file operations stay, and what ends one early. */
export interface FileScope {
  /** A real path: no part of it is a link. */
  readonly root: string
  readonly signal: AbortSignal
}
