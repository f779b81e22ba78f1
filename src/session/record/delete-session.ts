import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ToolFailure } from "../../contract/index.ts"
import { describeOwner, isDead } from "../../node/index.ts"
import { isOwned, releaseDirectory, removeOldThings, thingsOf } from "../../sandbox/index.ts"
import type { RecordStore } from "../../store/index.ts"
import { directoryName } from "../directory-name.ts"
import { readKeptSession } from "../kept-session.ts"
import { familyOf } from "./find-session.ts"

const hosts = ["bubblewrap", "docker", "kubernetes"]

/**
 * Deletes a session and its children: their record, the files of their sandboxes and their artifacts. The names of
 * those that were there; refused while a process has one of them open.
 */
export async function deleteSession(
  store: RecordStore | null,
  home: string,
  name: string,
): Promise<readonly string[]> {
  const family = store ? (await familyOf(store, name)).map((one) => one.name) : []
  const names = family.length > 0 ? family : [name]
  const directories = names.map((one) => ({
    name: one,
    session: join(home, "sessions", directoryName(one)),
    artifacts: join(home, "artifacts", directoryName(one)),
  }))
  for (const { name: one, session } of directories) if (isOwned(session)) throw inUse(one)
  await store?.remove(name)
  const there = directories.filter(({ session }) => family.length > 0 || existsSync(session))
  for (const { session, artifacts } of there) {
    await removeStored(home, session)
    rmSync(session, { recursive: true, force: true })
    rmSync(artifacts, { recursive: true, force: true })
  }
  return there.map((one) => one.name)
}

/**
 * Lets others open a session whose process can't be known to have ended, with its sandboxes; false when there is none.
 * Refused while its process is seen to run.
 */
export async function releaseSession(
  store: RecordStore | null,
  home: string,
  name: string,
): Promise<boolean> {
  const directory = join(home, "sessions", directoryName(name))
  const { owner = null } = (await (await store?.read(name))?.session()) ?? {}
  if (owner !== null && describeOwner(owner).isSeen && !isDead(owner)) throw inUse(name)
  const isReleased = (await store?.release(name)) ?? false
  if (!existsSync(directory)) return isReleased
  for (const { path } of storedThings(home, directory).flatMap(({ things }) => things)) {
    releaseDirectory(path)
  }
  releaseDirectory(directory)
  return true
}

async function removeStored(home: string, session: string): Promise<void> {
  for (const { shared, things } of storedThings(home, session)) {
    // A sleeping sandbox still names the process that put it to sleep as its owner.
    for (const { path } of things) releaseDirectory(path)
    if (things.length > 0) await removeOldThings(shared, things)
  }
}

/** What each host has stored of its sandboxes. */
function storedThings(home: string, session: string) {
  const { keptAs, snapshots } = readKeptSession(session)
  const stored = { keptAs: new Set(keptAs), snapshots: new Set(snapshots) }
  const directories = hosts.map((host) => join(home, host)).filter((path) => existsSync(path))
  return directories.map((shared) => ({ shared, things: thingsOf(shared, stored) }))
}

function inUse(name: string): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `The session ${JSON.stringify(name)} is open in a process that runs. Close it there first.`,
  })
}
