import { isDead } from "../../../node/index.ts"
import { removeAbandoned } from "../../agent/directory/remove-abandoned.ts"
import type { RemoveTree } from "../../agent/directory/remove-unused-layers.ts"
import { ownerLabel } from "./container-settings.ts"
import type { Engine } from "./engine.ts"

/** Removes the containers and the files of every Toolkeep that died without doing it. */
export async function removeLeftovers(
  engine: Engine,
  directory: string,
  remove: RemoveTree,
): Promise<void> {
  const containers = await engine.labelled(ownerLabel)
  const left = containers.filter(([, owner]) => isDead(owner))
  await Promise.all(left.map(([name]) => engine.remove(name)))
  // The homes and exchanges of engines that have other files than this machine.
  const volumes = await engine.volumesLabelled(ownerLabel)
  const unused = volumes.filter(([, owner]) => isDead(owner))
  await Promise.all(unused.map(([name]) => engine.removeVolume(name)))
  await removeAbandoned(directory, remove)
}
