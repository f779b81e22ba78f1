import { ToolFailure } from "../contract/index.ts"
import { type Clock, errorText } from "../kit/index.ts"
import type { PoolCheckpoint } from "../sandbox/index.ts"
import type { Session } from "../session/index.ts"
import type { NewEntry, RecordReader } from "../store/index.ts"
import { readPath } from "./context/read-conversation.ts"
import { newEntry, type RecordedAgentEntry, type RecordedFiles } from "./entries.ts"
import type { Branch } from "./run-options.ts"

/** The files of all sandboxes as they are now, as an entry; null where they are as in the last one. */
export async function checkpointFiles(
  { sandboxes }: Session,
  last: RecordedFiles | null,
  at: number,
): Promise<NewEntry | null> {
  const files = await readFiles(sandboxes)
  if (files === null || JSON.stringify(files) === JSON.stringify(last)) return null
  return newEntry({ kind: "checkpoint", body: files }, at)
}

/** A run does not end because its files could not be recorded; going back to them then fails with the reason. */
async function readFiles(sandboxes: Session["sandboxes"]): Promise<RecordedFiles | null> {
  if (sandboxes.list().length === 0) return null
  if (!sandboxes.host.can.checkpoints) {
    return {
      kind: "missing",
      why: `The host ${sandboxes.host.name} can't record files while processes run.`,
    }
  }
  try {
    return { kind: "recorded", checkpoint: await sandboxes.checkpoint() }
  } catch (error) {
    return { kind: "missing", why: errorText(error) }
  }
}

export async function branchSession(session: Session, from: number, clock: Clock): Promise<Branch> {
  if (!session.record) throw new Error("Only a recorded session can be branched.")
  const record = await session.record()
  const [entry] = await record.entries({ after: from - 1, limit: 1 })
  if (!Number.isInteger(from) || entry?.sequence !== from) {
    const { head = 0 } = (await record.session()) ?? {}
    throw refuse(`There is no entry ${from}: the session has entries 1 to ${head}.`)
  }
  const files = (await findFilesAt(record, from))?.body ?? null
  const now = session.sandboxes.list().length
  if (files?.kind === "missing") throw refuse(`The files of that time are not there: ${files.why}`)
  const { host } = session.sandboxes
  const nothing: PoolCheckpoint = { host: host.name, sandboxes: [], incomplete: [] }
  if (files || now > 0) await session.sandboxes.restore(files?.checkpoint ?? nothing)
  const [added] = await record.append(
    [newEntry({ kind: "branched", body: { from } }, clock.now(), from)],
    "idle",
  )
  return { sequence: added?.sequence ?? 0, isRestored: files !== null }
}

/** The last files that were recorded on the way to an entry. */
export async function findFilesAt(record: RecordReader, from: number): Promise<Checkpoint | null> {
  const path = await readPath(record, { before: from + 1, isWhole: true })
  return path.findLast(isCheckpoint) ?? null
}

type Checkpoint = RecordedAgentEntry & { readonly kind: "checkpoint" }

function isCheckpoint(entry: RecordedAgentEntry): entry is Checkpoint {
  return entry.kind === "checkpoint"
}

function refuse(message: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message })
}
