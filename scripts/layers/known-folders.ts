import type { KnownFolders } from "./folder-problems.ts"

/** What is left to do. The check keeps these from growing, and reports each entry that is no longer needed. */
export const knownFolders: KnownFolders = {
  full: {},
  cycles: [],
}
