import { existsSync, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { sha256 } from "../../node/index.ts"
import { touch } from "../owners/shared-directory.ts"
import { isLoader, librariesOf } from "./inject-programs.ts"
import { injectedDirectory as inside } from "./injected-node.ts"
import { placeWhole, putFile, writeWhole } from "./place-whole.ts"

/**
 * Puts this process's own Node, with every library it needs, into a directory that sandboxes see as
 * /run/toolkeep-bin: it works in any image, also in one with another C library. Done when it is first
 * needed, also for sandboxes that already run; done again, it costs nothing.
 */
export async function injectNode(directory: string): Promise<void> {
  const program = realpathSync(process.execPath)
  const { size, mtimeMs } = statSync(program)
  // Another Toolkeep may run on another Node, and share the directory.
  const version = sha256(`${program}\0${size}\0${mtimeMs}`)
  const name = `node-${version.slice(0, 12)}`
  const target = join(directory, name)
  if (existsSync(target)) touch(target)
  else place(target, program, await librariesOf(program))
  writeLauncher(directory, name)
}

/** One name for whatever is needed to start it: a program finds its libraries beside itself only so. */
function writeLauncher(directory: string, name: string): void {
  const library = `${inside}/${name}/lib`
  const loader = readdirSync(join(directory, name, "lib")).find(isLoader)
  const start = loader === undefined ? "" : `${library}/${loader} --library-path ${library} `
  const content = `#!/bin/bash\nexec ${start}${inside}/${name}/node "$@"\n`
  writeWhole(join(directory, "node"), content, 0o755)
}

function place(target: string, program: string, libraries: readonly string[]): void {
  placeWhole(target, (directory) => {
    mkdirSync(join(directory, "lib"), { mode: 0o755 })
    putFile(program, join(directory, "node"))
    for (const path of libraries)
      putFile(realpathSync(path), join(directory, "lib", basename(path)))
  })
}
