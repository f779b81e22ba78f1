/** What is shown of the changes of a call, a turn or a session. */
export const changesLimits = {
  /** Files of all sandboxes that are named; beyond, they are counted. */
  files: 500,
  /** Diffs, each and all of them together. */
  diffCharacters: 256 * 1024,
  diffCharactersMost: 2 * 1024 * 1024,
  /** How much is compared for a diff, and how long for all of them. */
  lines: 20_000,
  changedLines: 2_000,
  diffMs: 100,
  diffMsMost: 500,
  /** Turns that are named, the latest, and how much of what was said. */
  turns: 100,
  turnCharacters: 100,
  /** Tasks whose calls are looked at too. */
  tasks: 100,
  /** Notes about one sandbox. */
  notes: 20,
} as const
