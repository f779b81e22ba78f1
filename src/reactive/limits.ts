export const reactiveLimits = {
  /** How many steps of one run work at the same time. */
  places: 8,
  /** Results that no step uses now: how many are kept, and how much they may take together. */
  memoEntries: 1_000,
  memoBytes: 67_108_864,
  /** How much of a command or an address names its step in an error. */
  labelCharacters: 60,
  /** How much of the end of what a step prints can be read while it runs, and how often it is brought up to date. */
  outputCharacters: 65_536,
  outputMs: 50,
  /** How much of each stream of a command its result has. */
  outputBytes: 67_108_864,
  /** How long the body of a pattern may take. */
  bodyMs: 15_000,
  /** How many patterns may be in each other. */
  patternDepth: 64,
  /** How many elements and texts one part of a page may have, and how much text of it is shown. */
  pageNodes: 50_000,
  pageCharacters: 1_048_576,
  /** How many objects and lists of JSON from outside may be in each other: what is deeper can't be stored or shown. */
  jsonDepth: 256,
  /** How much of the stack of an error is searched for its place. */
  stackCharacters: 32_768,
  /** How many bytes of a file are read for one result. */
  fileBytes: 67_108_864,
} as const
