import { spawnSync } from "node:child_process"

/** The files that programs of this machine have to find to start. */
export function librariesOf(programs: readonly string[]): string[] {
  // It fails for those that need none.
  const { stdout } = spawnSync("ldd", [...programs], { maxBuffer: 2 ** 26 })
  const found = stdout.toString().matchAll(/(?:^|\s)(\/\S+) \(0x/gm)
  return [...new Set([...found].map(([, path]) => path ?? ""))]
}
