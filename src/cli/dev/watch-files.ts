import { type FSWatcher, watch } from "node:fs"
import { basename, dirname, extname } from "node:path"

export interface FileWatch {
  /** Watches these files from now on; with `others`, also source files beside them, which may be what is missing. */
  follow(files: readonly string[], others: boolean): void
  stop(): Promise<void>
}

/** An editor writes a file in several steps. */
const gatherMs = 40

const sourceExtensions = [".tsx", ".jsx", ".ts", ".mts", ".js", ".mjs", ".json"]

/** Calls back after changes; what changes meanwhile is one more change. */
export function watchFiles(onChange: () => Promise<void>): FileWatch {
  const watchers = new Map<string, FSWatcher>()
  let names = new Map<string, Set<string>>()
  let hearsOthers = false
  let timer: NodeJS.Timeout | null = null
  let isStopped = false
  let work: Promise<void> = Promise.resolve()

  const hear = (directory: string, name: string | null) => {
    const isKnown = name === null || names.get(directory)?.has(name) === true
    const isOther = hearsOthers && name !== null && sourceExtensions.includes(extname(name))
    if ((!isKnown && !isOther) || isStopped) return
    timer ??= setTimeout(() => {
      timer = null
      work = work.then(() => (isStopped ? undefined : onChange()))
    }, gatherMs)
  }
  /** Directories: an editor may put another file in the place of the one that is watched. */
  const open = (directory: string) => {
    const watcher = watch(directory, (_event, name) => hear(directory, name))
    watcher.on("error", () => watchers.delete(directory))
    watchers.set(directory, watcher)
  }
  return {
    follow(files, others) {
      hearsOthers = others
      names = new Map()
      for (const file of files) {
        const directory = dirname(file)
        names.set(directory, (names.get(directory) ?? new Set()).add(basename(file)))
      }
      for (const [directory, watcher] of watchers) {
        if (names.has(directory)) continue
        watcher.close()
        watchers.delete(directory)
      }
      for (const directory of names.keys()) if (!watchers.has(directory)) open(directory)
    },
    async stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
      await work
    },
  }
}
