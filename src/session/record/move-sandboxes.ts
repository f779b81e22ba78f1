import type { ToolFailure } from "../../contract/index.ts"
import type { Clock } from "../../kit/index.ts"
import type { Pool } from "../../sandbox/index.ts"
import type { SessionRecord } from "../../store/index.ts"
import type { Session } from "../session.ts"

export interface MoveDeps {
  readonly name: string
  readonly pool: Pool
  readonly openRecord: (() => Promise<SessionRecord>) | null
  readonly clock: Clock
}

/** What the records of both sessions say about a move, by kind. */
interface MoveEntries {
  /** In the record that they leave, before they do. */
  readonly moving: { readonly to: string; readonly sandboxes: readonly string[] }
  /** After that, where they stayed. */
  readonly "not-moved": { readonly to: string; readonly why: string }
  /** In the record that they come to, when they are there. */
  readonly moved: { readonly from: string; readonly sandboxes: readonly string[] }
}

/**
 * Hands the sandboxes of a session to another one. A process that ends at any moment leaves each of them in one of the
 * two, and repeating this completes it.
 */
export async function moveSandboxes(deps: MoveDeps, to: Session): Promise<readonly string[]> {
  const { name, pool, clock } = deps
  const own = (await deps.openRecord?.()) ?? null
  const other = (await to.record?.()) ?? null
  const append = async <Kind extends keyof MoveEntries>(
    record: SessionRecord | null,
    kind: Kind,
    body: MoveEntries[Kind],
  ) => record?.append([{ kind, at: clock.now(), body, isMilestone: true }])
  const listed = pool.list().map((sandbox) => sandbox.name)
  const begun = listed.length === 0 && own ? await unfinishedMove(own, to.name) : []
  const sandboxes = [...listed, ...begun]
  await append(own, "moving", { to: to.name, sandboxes })
  try {
    await pool.moveTo(to.sandboxes)
  } catch (error) {
    await append(own, "not-moved", { to: to.name, why: (error as ToolFailure).message })
    throw error
  }
  await append(other, "moved", { from: name, sandboxes })
  return sandboxes
}

/** What the last move to this session was about, if a process ended before it could record its end. */
async function unfinishedMove(record: SessionRecord, to: string): Promise<readonly string[]> {
  const newest = await record.entries({ before: Number.MAX_SAFE_INTEGER, milestones: true })
  const last = newest.find(({ kind }) => kind === "moving" || kind === "not-moved")
  if (last?.kind !== "moving") return []
  const body = last.body as MoveEntries["moving"]
  return body.to === to ? body.sandboxes : []
}
