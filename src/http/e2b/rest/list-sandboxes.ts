import { type InferSchema, ToolFailure } from "../../../contract/index.ts"
import type { StoredSandbox } from "../../sandbox-api/stored-sandboxes.ts"
import { detailsOf } from "./describe-sandbox.ts"
import type { restRoutes } from "./rest-routes.ts"

type ListQuery = InferSchema<typeof restRoutes.list.input>

export interface Page {
  readonly sandboxes: readonly StoredSandbox[]
  /** What to ask for the next one with; null for the last. */
  readonly next: string | null
}

/** Those that a client asks for, one page of them; the newest first unless it says otherwise. */
export function choosePage(all: readonly StoredSandbox[], query: ListQuery): Page {
  const { limit, nextToken, order = "desc" } = query
  const direction = order === "asc" ? 1 : -1
  const after = nextToken === undefined ? null : readPlace(nextToken)
  const left = all
    .filter((one) => isWanted(one, query))
    .toSorted((a, b) => direction * compare(a, b))
    .filter((one) => after === null || direction * compare(one, after) > 0)
  const sandboxes = left.slice(0, limit)
  const last = sandboxes.at(-1)
  return { sandboxes, next: last && left.length > limit ? `${last.createdMs}.${last.id}` : null }
}

/** Where a page ends: also right when the sandbox there is gone meanwhile. */
type Place = Pick<StoredSandbox, "createdMs" | "id">

function compare(a: Place, b: Place): number {
  return a.createdMs - b.createdMs || (a.id < b.id ? -1 : Number(a.id > b.id))
}

function readPlace(token: string): Place {
  const [, created, id = ""] = /^(\d{1,15})\.(.+)$/.exec(token) ?? []
  if (created !== undefined) return { createdMs: Number(created), id }
  const message = "The nextToken is not one that a list gave."
  throw new ToolFailure({ kind: "invalid_args", message, field: "nextToken" })
}

function isWanted(sandbox: StoredSandbox, query: ListQuery): boolean {
  const { state, startedAfter, template, metadata } = query
  const states = state?.split(",") ?? ["running", "paused"]
  const wanted = new URLSearchParams(metadata ?? "")
  return (
    states.includes(sandbox.isPaused ? "paused" : "running") &&
    (template === undefined || detailsOf(sandbox).template === template) &&
    (startedAfter === undefined || sandbox.createdMs > Date.parse(startedAfter)) &&
    [...wanted].every(([name, value]) => sandbox.metadata[decode(name)] === decode(value))
  )
}

/** They are encoded twice. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
