import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync } from "node:fs"
import { join } from "node:path"
import { makeWalkable } from "../../owners/walkable-directory.ts"
import { systemPath, withMountedHome } from "./mount-home.ts"
import { isRemembered, remember } from "./remember-success.ts"

const memory = "layers-work"
const tooLongMs = 5_000

/** Whether this user may put directories on each other there: kernels and file systems differ in it. */
export function canLayer(shared: string, path: string): boolean {
  const directory = join(shared, "shared")
  if (isRemembered(directory, memory, path)) return true
  let trial = ""
  try {
    for (const made of [shared, directory]) makeWalkable(made)
    trial = mkdtempSync(join(directory, "trial-"))
    const [writable, layer] = [join(trial, "home"), join(trial, "layer")]
    for (const made of [writable, layer]) mkdirSync(made)
    const stack = { writable, layers: [layer] }
    const home = { stack, shared: trial, isKept: false, user: null }
    const [program, ...args] = withMountedHome(home, ["setpriv", "--", "true"])
    execFileSync(program, args, {
      env: { PATH: systemPath },
      stdio: "ignore",
      timeout: tooLongMs,
    })
    remember(directory, memory, path)
    return true
  } catch {
    return false
  } finally {
    if (trial !== "") removeTrial(trial)
  }
}

/** The kernel closes its own directory to everybody. */
function removeTrial(trial: string): void {
  execFileSync("sh", ["-c", 'chmod -R u+rwx -- "$1"; rm -rf -- "$1"', "sh", trial], {
    env: { PATH: systemPath },
    stdio: "ignore",
  })
}
