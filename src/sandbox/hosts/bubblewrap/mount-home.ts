import { mkdirSync, mkdtempSync } from "node:fs"
import { join, relative } from "node:path"
import { promisify } from "node:util"
import type { HomeStack } from "../../agent/directory/home-stack.ts"
import { overlayOptions, workDirectory } from "../../agent/directory/overlay-options.ts"
import { makeWalkable } from "../../owners/shared-directory.ts"
import { isRemembered, remember } from "./examine-machine.ts"

interface MountedHome {
  readonly stack: HomeStack
  /** Where all sandboxes and layers are: named from there, many layers fit into a mount's options. */
  readonly shared: string
  readonly isKept: boolean
  /** The user to run the program as; null for the user who runs Toolkeep. */
  readonly user: number | null
}

/** Where the programs below are, for a process that gets no other environment. */
export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/** The kernel refuses a directory of its own that another mount has used; then the program is all there is. */
const script = `cd -- "$1" && rm -rf -- "$2" && mkdir -m 700 -- "$2" && mount -t overlay -o "$4" overlay "$3" || exit 1
shift 4; exec "$@"`

/**
 * A command that sees the layers of a home as one directory, in the place of the one that is written.
 * The mount is seen by nobody else and ends with the last process that sees it.
 */
export function withMountedHome(
  home: MountedHome,
  command: readonly string[],
): [string, ...string[]] {
  const { stack, shared, isKept, user } = home
  const isPrivileged = process.getuid?.() === 0
  const nameOf = (path: string) => relative(shared, path)
  return [
    "unshare",
    ...(isPrivileged ? [] : ["--user", "--map-root-user"]),
    ...["--mount", "--", "sh", "-c", script, "sh"],
    ...[shared, nameOf(workDirectory(stack)), nameOf(stack.writable)],
    overlayOptions(stack, { isPrivileged, isKept }, nameOf),
    ...(user === null ? [] : becoming(user)),
    ...command,
  ]
}

function becoming(user: number): string[] {
  return ["setpriv", "--reuid", String(user), "--regid", String(user), "--clear-groups", "--"]
}

/** Copies a home as it looks from inside. */
export async function mergeHome(
  home: Pick<MountedHome, "stack" | "shared">,
  target: string,
): Promise<void> {
  const copy = ["cp", "-aT", "--reflink=auto", "--", home.stack.writable, target]
  // Not as the sandbox's user, who may have closed a file to himself.
  const [program, ...args] = withMountedHome({ ...home, user: null, isKept: false }, copy)
  const { execFile } = await import("node:child_process")
  await promisify(execFile)(program, args, { env: { PATH: systemPath } })
}

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
    runNow(program, args)
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
  runNow("sh", ["-c", 'chmod -R u+rwx -- "$1"; rm -rf -- "$1"', "sh", trial])
}

/** Loads Node's module only here: most processes remember how the trial went (bench row cold-call). */
function runNow(program: string, args: readonly string[]): void {
  process.getBuiltinModule("node:child_process").execFileSync(program, args, {
    env: { PATH: systemPath },
    stdio: "ignore",
    timeout: tooLongMs,
  })
}
