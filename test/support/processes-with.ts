import { readdirSync, readFileSync } from "node:fs"

/** The numbers of this machine's processes with such an argument. */
export function processesWith(argument: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(argument)
    } catch {
      return false
    }
  })
}
