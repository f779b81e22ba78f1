import { execFile } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { onTestFinished } from "vitest"

/** Two directories of this machine: one that the attack may use, one beside it that it may not. */
export interface AttackPlaces {
  readonly directory: string
  readonly outside: string
}

/** They go with the test. */
export function makePlaces(): AttackPlaces {
  const top = mkdtempSync(join(tmpdir(), "toolkeep-places-"))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  chmodSync(top, 0o755)
  const places = { directory: join(top, "directory"), outside: join(top, "outside") }
  for (const path of Object.values(places)) mkdirSync(path)
  return places
}

/** Runs a function of a module in a process of its own as somebody who is not root, and says what it returned. */
export async function asOrdinaryUser(
  [module, name]: readonly [string, string],
  places: AttackPlaces,
): Promise<unknown> {
  const user = process.getuid?.() === 0 ? 54_321 : (process.getuid?.() ?? 0)
  for (const path of Object.values(places)) {
    if (process.getuid?.() === 0) chownSync(path, user, user)
  }
  const script = `
if (process.getuid() === 0) { process.setgroups([]); process.setgid(${user}); process.setuid(${user}) }
const { ${name} } = await import(${JSON.stringify(module)})
console.log(JSON.stringify(await ${name}(${JSON.stringify(places)})))`
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...["--input-type=module", "-e", script],
  ])
  return JSON.parse(stdout)
}
