import { existsSync, statfsSync } from "node:fs"
import { dirname, resolve } from "node:path"

/** File systems that the kernel writes no layer on: overlays themselves, and those of other machines. */
const unfit = new Set([0x794c7630, 0x6969, 0x65735546, 0xff534d42, 0x01021997])

/** Whether the engine can put directories on each other there. */
export function canLayer(directory: string): boolean {
  let path = resolve(directory)
  while (!existsSync(path)) path = dirname(path)
  return process.platform === "linux" && !unfit.has(statfsSync(path).type)
}
