import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { removeTree } from "../../agent/remove-tree.ts"
import { ownerLabel } from "./container-settings.ts"
import type { Engine } from "./engine.ts"
import { isDead } from "./owner.ts"

/** In a sandbox's directory: whose it is. */
export const ownerFile = "owner"

/** Removes the containers and the files of every Toolkeep that died without doing it. */
export async function removeLeftovers(engine: Engine, directory: string): Promise<void> {
  const containers = await engine.labelled(ownerLabel)
  const left = containers.filter(([, owner]) => isDead(owner))
  await Promise.all(left.map(([name]) => engine.remove(name)))
  for (const entry of readdirSync(directory)) {
    const path = join(directory, entry)
    const owner = ownerIn(path)
    if (owner !== null && isDead(owner)) await removeTree(path)
  }
}

function ownerIn(directory: string): string | null {
  try {
    return readFileSync(join(directory, ownerFile), "utf8")
  } catch {
    return null
  }
}
