import { closeSync, constants, fstatSync, openSync, renameSync, rmSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { join } from "node:path"
import { createId } from "../../../kit/index.ts"
import { makeDirectories } from "../../../node/index.ts"
import type { SandboxCheckpoint } from "../../host/host.ts"
import { checkpointLimits, diskLimits } from "../../limits.ts"
import { layerPath, treeName } from "../directory/home-stack.ts"
import type { OwnDirectory } from "../directory/sandbox-directory.ts"
import { writeRecord } from "../directory/snapshot-records.ts"
import { checkpointTooLarge, checkpointTooSlow, checkpointUnseen } from "../disk/disk-full.ts"
import { copyInThread } from "./copy-in-thread.ts"
import { lookInside } from "./look-inside.ts"

export interface RecordFilesDeps {
  readonly own: Pick<OwnDirectory, "path" | "stack" | "user">
  /** Where all sandboxes are. */
  readonly shared: string
  readonly remove: (directory: string) => Promise<void>
}

export interface RecordFilesOptions {
  /** The first process of the sandbox; null when that can't be known, or it has ended. */
  readonly first: () => Promise<number | null>
  /** What the sandbox may still take of the disk. */
  readonly left: number
  readonly signal: AbortSignal
}

/** In a sandbox's directory: how the files of its home were when they were last copied. */
const knownName = "known"

/**
 * Copies the home of a sandbox that is awake, as it looks from inside, to a layer that nobody writes. The layer holds
 * all files, so a sandbox that starts with it has one layer, however many checkpoints there were.
 */
export async function recordFiles(
  { own, shared, remove }: RecordFilesDeps,
  options: RecordFilesOptions,
): Promise<SandboxCheckpoint> {
  const first = await options.first()
  const inside = lookInside(first)
  const { layers } = own.stack()
  const name = treeName()
  // There it counts as the sandbox's, and goes when this process is killed.
  const target = join(own.path, createId("home"))
  const knownFile = join(own.path, knownName)
  const nextKnownFile = `${knownFile}.new`
  const late = AbortSignal.timeout(checkpointLimits.copyMs)
  const source = await openHome(own, options)
  try {
    const free = await statfs(own.path)
    const report = await copyInThread(
      {
        ...{ source, target, shared, name, knownFile, nextKnownFile },
        below: layers,
        mapped: inside.mapped,
        limits: {
          ...checkpointLimits,
          bytes: Math.min(options.left, free.bavail * free.bsize - diskLimits.freeBytes),
        },
      },
      AbortSignal.any([options.signal, late]),
    )
    if (report.kind === "too-large") throw checkpointTooLarge()
    const layer = layerPath(shared, name)
    makeDirectories(layerPath(shared, ""), 0o700)
    // Named before it is there: layers that nobody names are removed.
    const id = writeRecord(shared, own.path, { layers: [layer], temporary: "none" })
    renameSync(target, layer)
    renameSync(nextKnownFile, knownFile)
    return { id, incomplete: report.incomplete, isQuiet: inside.isQuiet }
  } catch (failure) {
    const error = failure === late.reason ? checkpointTooSlow(failure) : failure
    rmSync(nextKnownFile, { force: true })
    await remove(target)
    throw error
  } finally {
    closeSync(source)
  }
}

const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/**
 * The home as processes inside see it. With layers that is a mount which only they have. The process that leads there
 * has to live afterwards: else its number may have become another's, whose home is not the sandbox's.
 */
async function openHome(
  { stack, user }: RecordFilesDeps["own"],
  { first: findFirst }: RecordFilesOptions,
): Promise<number> {
  const { writable, layers } = stack()
  if (layers.length === 0) return openSync(writable, flags)
  const first = await findFirst()
  if (first === null) throw checkpointUnseen()
  const home = openInside(first)
  const isStill = (await findFirst()) === first && fstatSync(home).uid === user
  if (isStill) return home
  closeSync(home)
  throw checkpointUnseen()
}

function openInside(first: number): number {
  try {
    return openSync(`/proc/${first}/root/home/user`, flags)
  } catch (cause) {
    throw checkpointUnseen({ cause })
  }
}
