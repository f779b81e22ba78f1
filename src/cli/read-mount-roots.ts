import type { Host } from "../sandbox/index.ts"
import { Misuse } from "./misuse.ts"
import type { Arguments } from "./read-arguments.ts"

/** `--mount-roots`. */
export function readMountRoots(given: Arguments): "read" | "write" | undefined {
  const how = given.text("mount-roots")
  if (how === undefined) return undefined
  if (how !== "read" && how !== "write") {
    throw new Misuse("--mount-roots takes read or write, such as --mount-roots read.")
  }
  if (given.text("session") === undefined) return how
  throw new Misuse(
    "--mount-roots and --session don't go together: a sandbox that is kept has the roots of its first client.",
  )
}

/** Said at the start, and not by the first call of an agent. */
export function requireMounts({ name, can }: Host, mountRoots: string | undefined): void {
  if (mountRoots === undefined || can.mounts) return
  throw new Misuse(`the ${name} host can't show directories of this machine in a sandbox.`)
}
