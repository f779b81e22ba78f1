import { message } from "../connect/message.ts"

const text = { type: "string" } as const
const yes = { type: "boolean", default: false } as const
const onePath = message({ "path?": text })
const watch = message({
  "path?": text,
  recursive: yes,
  includeEntry: yes,
  allowNetworkMounts: yes,
})
const watcher = message({ watcherId: text })

/** The requests of filesystem.Filesystem in the JSON form of protocol buffers. */
export const filesystemRequests = {
  stat: onePath,
  makeDir: onePath,
  remove: onePath,
  move: message({ "source?": text, "destination?": text }),
  listDir: message({ "path?": text, "depth?": { type: "integer", minimum: 0 } }),
  watchDir: watch,
  createWatcher: watch,
  getWatcherEvents: watcher,
  removeWatcher: watcher,
} as const
