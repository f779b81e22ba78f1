import { channels, frameKinds } from "./frame-kinds.ts"
import { type KeeperOptions, runKeeper } from "./keeper.ts"
import { createLink } from "./link.ts"

/** The keeper as the text of a program for Node: functions that name nothing outside of themselves. */
export function keeperScript(options: KeeperOptions): string {
  const constants = `kinds: ${JSON.stringify(frameKinds)}, channels: ${JSON.stringify(channels)}`
  return [
    `const createLink = ${createLink};`,
    'const modules = { fs: require("node:fs"), net: require("node:net"), createLink,',
    `childProcess: require("node:child_process"), ${constants} };`,
    `(${runKeeper})(modules, ${JSON.stringify(options)})`,
  ].join("\n")
}
