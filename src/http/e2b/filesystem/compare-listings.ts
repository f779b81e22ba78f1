/** One thing in a directory, as far as a watcher compares it. */
export interface ListedEntry {
  /** Below the directory that is watched. */
  readonly name: string
  /** The number of its inode, which a move keeps. */
  readonly inode: string
  readonly isDirectory: boolean
  readonly mode: string
  readonly size: string
  readonly modified: string
}

export type Listing = ReadonlyMap<string, ListedEntry>

export type WatchEventType = "CREATE" | "WRITE" | "REMOVE" | "RENAME" | "CHMOD"

export interface WatchEvent {
  readonly name: string
  readonly type: `EVENT_TYPE_${WatchEventType}`
}

/**
 * What happened between two listings, in the events that inotify would have told: what was moved is renamed at its old
 * name and created at its new one. Several writes in between are one, and so is a file that was replaced as a whole.
 */
export function compareListings(before: Listing, now: Listing): readonly WatchEvent[] {
  const wasThere = new Set([...before.values()].map(({ inode }) => inode))
  const isThere = new Set([...now.values()].map(({ inode }) => inode))
  const left = [...before.values()]
    .filter(({ name, inode }) => now.get(name)?.inode !== inode)
    .flatMap(({ name, inode }) => {
      if (isThere.has(inode)) return [event(name, "RENAME")]
      return now.has(name) ? [] : [event(name, "REMOVE")]
    })
  const seen = [...now.values()].flatMap((entry) => {
    const old = before.get(entry.name)
    if (!old) return arrived(entry, wasThere.has(entry.inode))
    if (old.inode !== entry.inode && wasThere.has(entry.inode)) return arrived(entry, true)
    return changed(old, entry)
  })
  return [...left, ...seen]
}

function arrived({ name, isDirectory, size }: ListedEntry, isMoved: boolean): WatchEvent[] {
  const isWritten = !isMoved && !isDirectory && size !== "0"
  return [event(name, "CREATE"), ...(isWritten ? [event(name, "WRITE")] : [])]
}

function changed(before: ListedEntry, now: ListedEntry): WatchEvent[] {
  // The time of a directory changes with what is in it, which has events of its own.
  const isWritten =
    !now.isDirectory &&
    (before.size !== now.size || before.modified !== now.modified || before.inode !== now.inode)
  return [
    ...(isWritten ? [event(now.name, "WRITE")] : []),
    ...(before.mode === now.mode ? [] : [event(now.name, "CHMOD")]),
  ]
}

function event(name: string, type: WatchEventType): WatchEvent {
  return { name, type: `EVENT_TYPE_${type}` }
}
